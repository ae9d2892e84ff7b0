// Passing a few new rows from one database to another: the least that a merge can do.
#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void pass(int from, int to, const void *bytes, size_t count, void *into) {
    size_t got = 0;
    if (write(from, bytes, count) != (ssize_t)count) exit(3);
    while (got < count) {
        ssize_t some = read(to, (char *)into + got, count - got);
        if (some <= 0) exit(3);
        got += (size_t)some;
    }
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// Both databases hold the same rows; each round adds some to the first and passes them on: selected
// by their row numbers, through a socket, inserted, committed, and a byte back.
int bench_delta(const char *source, const char *target, long count, long rounds) {
    if (rounds < 1) return 2;
    enum { ROOM = 256 * BATCH_MAX };
    static Stream stream;
    static uint8_t packed[ROOM], arrived[ROOM];
    int pair[2];
    if (count < 1 || count > BATCH_MAX / 8 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return 2;
    sqlite3 *from = store_open(source), *to = store_open(target);
    sqlite3_stmt *add = store_prepare(from, "INSERT INTO event VALUES(?1)");
    sqlite3_stmt *select = store_prepare(from, "SELECT body FROM event WHERE rowid > ?1 ORDER BY rowid");
    sqlite3_stmt *insert = store_prepare(to, "INSERT INTO event VALUES(?1)");
    stream_begin(&stream, 3);
    double *seconds = calloc((size_t)rounds, sizeof *seconds);
    if (!seconds) return 3;
    for (long round = 0; round < rounds; round++) {
        sqlite3_stmt *last = store_prepare(from, "SELECT max(rowid) FROM event");
        sqlite3_step(last);
        sqlite3_int64 known = sqlite3_column_int64(last, 0);
        sqlite3_finalize(last);
        store_execute(from, "BEGIN IMMEDIATE");
        for (long i = 0; i < count; i++) {
            Row row;
            stream_next(&stream, &row);
            sqlite3_bind_blob(add, 1, row.body, row.length, SQLITE_STATIC);
            store_step(add);
        }
        store_execute(from, "COMMIT");
        double start = now();
        size_t length = 0;
        sqlite3_bind_int64(select, 1, known);
        while (sqlite3_step(select) == SQLITE_ROW) {
            int size = sqlite3_column_bytes(select, 0);
            packed[length++] = (uint8_t)size;
            memcpy(packed + length, sqlite3_column_blob(select, 0), (size_t)size);
            length += (size_t)size;
        }
        sqlite3_reset(select);
        pass(pair[0], pair[1], packed, length, arrived);
        store_execute(to, "BEGIN IMMEDIATE");
        for (size_t at = 0; at < length; at += 1 + arrived[at]) {
            sqlite3_bind_blob(insert, 1, arrived + at + 1, arrived[at], SQLITE_STATIC);
            store_step(insert);
        }
        store_execute(to, "COMMIT");
        pass(pair[1], pair[0], "!", 1, arrived);
        seconds[round] = now() - start;
    }
    qsort(seconds, (size_t)rounds, sizeof *seconds, ascending);
    printf("{\"rounds\":%ld,\"median\":%.9f}\n", rounds, seconds[rounds / 2]);
    free(seconds);
    return 0;
}
