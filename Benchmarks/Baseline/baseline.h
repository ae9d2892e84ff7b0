// Two baselines for the ledger's benchmarks: what plain C on SQLite costs for the same events.
//
//   bare     a rowid table with the body alone: the least SQLite can do
//   indexed  the same bodies, one secondary index on subject and resource, and a status row
//            written in the same commits
#pragma once

#include <sqlite3.h>
#include <stdint.h>

enum { SUBJECTS = 10000, RESOURCES = 8, REPLICAS = 5, BATCH_MAX = 1000 };

// splitmix64 (Steele, Lea, Flood 2014), the same as in the product's half of the benchmarks.
typedef struct { uint64_t state; } SplitMix;
uint64_t splitmix_next(SplitMix *generator);

typedef struct {
    uint8_t body[192];
    int length;
    char subject[12];
    int subject_number, resource, kind, outcome;
    uint64_t hlc;
} Row;

typedef struct {
    SplitMix choices, noise;
    uint64_t milliseconds, sequence[REPLICAS], digest;
    uint8_t replica[REPLICAS][16], purpose[24][4][32];
    uint8_t standing[SUBJECTS * RESOURCES];  // the last deciding outcome of each key
} Stream;
void stream_begin(Stream *stream, uint64_t seed);
void stream_next(Stream *stream, Row *row);

typedef enum { BARE, INDEXED } Design;

double now(void);
long resident_kilobytes(const char *field);
long long file_bytes(const char *path);
sqlite3 *store_open(const char *path);
void store_execute(sqlite3 *store, const char *sql);
sqlite3_stmt *store_prepare(sqlite3 *store, const char *sql);
void store_step(sqlite3_stmt *statement);

int bench_stream(long count);
int bench_append(Design design, const char *path, long count, long batch);
int bench_durable(const char *path, long count);
int bench_status(const char *path, long count);
int bench_delta(const char *source, const char *target, long count, long rounds);
int bench_trip(long count);
int bench_history(const char *path, long count);
