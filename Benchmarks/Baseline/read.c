// Reading from the indexed baseline: the status of one key, and one subject's events.
#include "baseline.h"

#include <stdio.h>

static sqlite3 *open_for_reading(const char *path) {
    sqlite3 *store = store_open(path);
    store_execute(store, "PRAGMA mmap_size=1073741824");
    return store;
}

// Each SELECT is its own read transaction: another process may commit in between.
int bench_status(const char *path, long count) {
    sqlite3 *store = open_for_reading(path);
    sqlite3_stmt *select = store_prepare(store, "SELECT outcome, hlc FROM status WHERE subject=?1 AND resource=?2");
    double seconds = 0;
    long found = 0;
    for (int pass = 0; pass < 2; pass++) {  // the first one warms
        SplitMix keys = {7};
        found = 0;
        double start = now();
        for (long i = 0; i < count; i++) {
            uint64_t drawn = splitmix_next(&keys);
            char name[16];
            int length = snprintf(name, sizeof name, "subj-%06d", (int)(drawn % SUBJECTS));
            sqlite3_bind_text(select, 1, name, length, SQLITE_STATIC);
            sqlite3_bind_int(select, 2, (drawn >> 32) & 7);
            if (sqlite3_step(select) == SQLITE_ROW) found += sqlite3_column_int64(select, 1) != 0;
            sqlite3_reset(select);
        }
        seconds = now() - start;
    }
    sqlite3_finalize(select);
    sqlite3_close(store);
    printf("{\"count\":%ld,\"seconds\":%.6f,\"found\":%ld}\n", count, seconds, found);
    return 0;
}

int bench_history(const char *path, long count) {
    sqlite3 *store = open_for_reading(path);
    sqlite3_stmt *select = store_prepare(store,
        "SELECT resource, body FROM event WHERE subject=(SELECT id FROM subject WHERE name=?1)");
    double seconds = 0;
    long rows = 0;
    uint64_t sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        SplitMix keys = {11};
        rows = 0;
        double start = now();
        for (long i = 0; i < count; i++) {
            char name[16];
            int length = snprintf(name, sizeof name, "subj-%06d", (int)(splitmix_next(&keys) % SUBJECTS));
            sqlite3_bind_text(select, 1, name, length, SQLITE_STATIC);
            for (; sqlite3_step(select) == SQLITE_ROW; rows++) {
                const uint8_t *body = sqlite3_column_blob(select, 1);
                sum += body[0] + (unsigned)sqlite3_column_bytes(select, 1) + (unsigned)sqlite3_column_int(select, 0);
            }
            sqlite3_reset(select);
        }
        seconds = now() - start;
    }
    sqlite3_finalize(select);
    sqlite3_close(store);
    printf("{\"count\":%ld,\"seconds\":%.6f,\"rows\":%ld,\"sum\":%llu}\n", count, seconds, rows,
           (unsigned long long)sum);
    return 0;
}
