// Insertion: in batches, and one durable event at a time.
#include "baseline.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    sqlite3 *store;
    sqlite3_stmt *insert, *subject, *status, *begin, *commit;
    uint8_t seen[SUBJECTS];
} Writer;

static void writer_open(Writer *writer, Design design, const char *path) {
    memset(writer, 0, sizeof *writer);
    sqlite3 *store = writer->store = store_open(path);
    if (design == BARE) {
        store_execute(store, "CREATE TABLE event(body BLOB NOT NULL)");
        writer->insert = store_prepare(store, "INSERT INTO event VALUES(?1)");
    } else {
        store_execute(store,
            "CREATE TABLE subject(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);"
            "CREATE TABLE event(subject INTEGER NOT NULL, resource INTEGER NOT NULL, body BLOB NOT NULL);"
            "CREATE INDEX event_subject ON event(subject, resource);"
            "CREATE TABLE status(subject TEXT NOT NULL, resource INTEGER NOT NULL, outcome INTEGER NOT NULL,"
            " hlc INTEGER NOT NULL, PRIMARY KEY(subject, resource)) WITHOUT ROWID");
        writer->insert = store_prepare(store, "INSERT INTO event VALUES(?2,?3,?1)");
        writer->subject = store_prepare(store, "INSERT INTO subject VALUES(?1,?2)");
        writer->status = store_prepare(store,
            "INSERT INTO status VALUES(?1,?2,?3,?4) ON CONFLICT(subject,resource) DO UPDATE SET"
            " outcome=excluded.outcome, hlc=excluded.hlc WHERE excluded.hlc > status.hlc");
    }
    writer->begin = store_prepare(store, "BEGIN IMMEDIATE");
    writer->commit = store_prepare(store, "COMMIT");
}

static void write_row(Writer *writer, Row *row) {
    sqlite3_bind_blob(writer->insert, 1, row->body, row->length, SQLITE_STATIC);
    if (writer->subject) {
        sqlite3_bind_int(writer->insert, 2, row->subject_number);
        sqlite3_bind_int(writer->insert, 3, row->resource);
        // An application would hold the intern map in memory; here the name is its number.
        if (!writer->seen[row->subject_number]) {
            writer->seen[row->subject_number] = 1;
            sqlite3_bind_int(writer->subject, 1, row->subject_number);
            sqlite3_bind_text(writer->subject, 2, row->subject, -1, SQLITE_STATIC);
            store_step(writer->subject);
        }
    }
    store_step(writer->insert);
    if (writer->status && row->kind >= 2) {
        sqlite3_bind_text(writer->status, 1, row->subject, 11, SQLITE_STATIC);
        sqlite3_bind_int(writer->status, 2, row->resource);
        sqlite3_bind_int(writer->status, 3, row->outcome);
        sqlite3_bind_int64(writer->status, 4, (sqlite3_int64)row->hlc);
        store_step(writer->status);
    }
}

// Truncates the write-ahead log, so that deferred work is paid for and the file has its full size.
static void writer_close(Writer *writer) {
    sqlite3_stmt *statements[] = {writer->insert, writer->subject, writer->status, writer->begin, writer->commit};
    for (int i = 0; i < 5; i++) sqlite3_finalize(statements[i]);
    store_execute(writer->store, "PRAGMA wal_checkpoint(TRUNCATE)");
    sqlite3_close(writer->store);
}

int bench_append(Design design, const char *path, long count, long batch) {
    static Row rows[BATCH_MAX];
    Writer writer;
    static Stream stream;
    if (batch < 1 || batch > BATCH_MAX) return 2;
    writer_open(&writer, design, path);
    stream_begin(&stream, 1);
    double seconds = 0;
    for (long done = 0; done < count;) {
        long some = count - done < batch ? count - done : batch;
        for (long i = 0; i < some; i++) stream_next(&stream, &rows[i]);
        double start = now();
        store_step(writer.begin);
        for (long i = 0; i < some; i++) write_row(&writer, &rows[i]);
        store_step(writer.commit);
        seconds += now() - start;
        done += some;
    }
    double start = now();
    writer_close(&writer);
    double closing = now() - start;
    printf("{\"events\":%ld,\"seconds\":%.6f,\"closing\":%.6f,\"bytes\":%lld,\"peakKB\":%ld}\n", count,
           seconds + closing, closing, file_bytes(path), resident_kilobytes("VmHWM"));
    return 0;
}

int bench_durable(const char *path, long count) {
    static Stream stream;
    Row row;
    sqlite3 *store = store_open(path);
    sqlite3_stmt *insert = store_prepare(store, "INSERT INTO event VALUES(?1)");
    stream_begin(&stream, 2);
    double seconds = 0;
    for (long i = 0; i < count; i++) {
        stream_next(&stream, &row);
        double start = now();
        sqlite3_bind_blob(insert, 1, row.body, row.length, SQLITE_STATIC);
        store_step(insert);
        seconds += now() - start;
    }
    sqlite3_finalize(insert);
    sqlite3_close(store);
    printf("{\"events\":%ld,\"seconds\":%.6f}\n", count, seconds);
    return 0;
}
