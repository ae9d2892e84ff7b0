// What every baseline needs: clock, memory, files, and SQLite that stops at the first error.
#define _GNU_SOURCE
#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

long resident_kilobytes(const char *field) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long value = -1;
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, field, strlen(field))) value = atol(line + strlen(field) + 1);
    if (file) fclose(file);
    return value;
}

long long file_bytes(const char *path) {
    struct stat status;
    return stat(path, &status) ? 0 : (long long)status.st_size;
}

static void fail(sqlite3 *store, const char *what) {
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(store));
    exit(3);
}

sqlite3 *store_open(const char *path) {
    sqlite3 *store = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &store, flags, NULL)) fail(store, path);
    store_execute(store, "PRAGMA cache_size=-65536");
    store_execute(store, "PRAGMA temp_store=MEMORY");
    store_execute(store, "PRAGMA journal_mode=WAL");
    store_execute(store, "PRAGMA synchronous=FULL");
    return store;
}

void store_execute(sqlite3 *store, const char *sql) {
    if (sqlite3_exec(store, sql, NULL, NULL, NULL)) fail(store, sql);
}

sqlite3_stmt *store_prepare(sqlite3 *store, const char *sql) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v3(store, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL)) fail(store, sql);
    return statement;
}

void store_step(sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fail(sqlite3_db_handle(statement), "step");
    sqlite3_reset(statement);
}
