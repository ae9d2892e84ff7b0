// The seeded stream of events: 10,000 subjects with one device each, 8 resources, 5 replicas, four
// kinds in equal shares, bodies of 139 bytes in the mean.
#include "baseline.h"

#include <stdio.h>
#include <string.h>

static const char *features[24] = {
    "scanReceipt", "voiceMemo", "findNearby", "inviteFriend", "profilePhoto", "dailyReminder",
    "eventImport", "stepCounter", "videoCall", "liveCaption", "mapRoute", "syncContacts",
    "pickAttachment", "alerts", "schedule", "fallDetect", "arPreview", "dictation", "geoFence",
    "shareCard", "albumBackup", "quietHours", "meetingNotes", "workoutLog",
};
static const char *versions[8] = {"4.0.0", "4.0.1", "4.1.0", "4.1.1", "4.2.0", "4.2.3", "4.3.0", "5.0.0"};

uint64_t splitmix_next(SplitMix *generator) {
    uint64_t z = generator->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void fill(SplitMix *generator, uint8_t *bytes, int count) {
    for (int at = 0; at < count; at += 8) {
        uint64_t word = splitmix_next(generator);
        memcpy(bytes + at, &word, 8);
    }
}

void stream_begin(Stream *stream, uint64_t seed) {
    memset(stream, 0, sizeof *stream);
    stream->choices.state = seed;
    stream->noise.state = seed ^ 0xC0FFEE;
    stream->milliseconds = 1760000000000u;
    for (int i = 0; i < REPLICAS; i++) fill(&stream->noise, stream->replica[i], 16);
    for (int i = 0; i < 24 * 4; i++) fill(&stream->noise, stream->purpose[i / 4][i % 4], 32);
}

static uint8_t *put(uint8_t *at, const void *bytes, int count) {
    memcpy(at, bytes, count);
    return at + count;
}

static uint8_t *put_text(uint8_t *at, const char *text) {
    int count = (int)strlen(text);
    *at++ = (uint8_t)count;
    return put(at, text, count);
}

enum { NONE, GRANTED, DENIED, LIMITED, REVOKED, UNDETERMINED };

// Settings are observed when they changed: never to what holds already.
static int outcome_of(Stream *stream, int key, int kind, uint64_t drawn) {
    static const uint8_t answers[8] = {GRANTED, GRANTED, GRANTED, DENIED, DENIED, LIMITED, GRANTED, DENIED};
    if (kind < 2) return kind == 0 ? NONE : UNDETERMINED;
    int standing = stream->standing[key];
    int outcome = kind == 2 ? answers[drawn & 7] : drawn & 1 ? REVOKED : GRANTED;
    if (kind == 3 && standing == GRANTED) outcome = REVOKED;
    if (kind == 3 && standing == DENIED) outcome = GRANTED;
    stream->standing[key] = outcome == REVOKED ? DENIED : (uint8_t)outcome;
    return outcome;
}

void stream_next(Stream *stream, Row *row) {
    uint64_t a = splitmix_next(&stream->choices), b = splitmix_next(&stream->choices);
    int replica = (int)(a % REPLICAS), subject = (int)((a >> 8) % SUBJECTS);
    int resource = (a >> 32) & 7, kind = (a >> 36) & 3;
    int feature = (int)((a >> 40) % 3) * 8 + resource, version = (b >> 4) & 3;
    int outcome = outcome_of(stream, subject * RESOURCES + resource, kind, b >> 8);
    stream->milliseconds += (b >> 24) % 400;
    row->hlc = stream->milliseconds << 16 | ((b >> 40) & 7);
    row->subject_number = subject;
    row->resource = resource;
    row->kind = kind;
    row->outcome = outcome;
    snprintf(row->subject, sizeof row->subject, "subj-%06d", subject);

    uint64_t sequence = ++stream->sequence[replica];
    uint8_t words[4] = {(uint8_t)kind, (uint8_t)resource, (uint8_t)outcome, (uint8_t)(subject & 7)};
    uint16_t text = (uint16_t)(version + 1);
    uint8_t device[8], previous[32];
    SplitMix owner = {(uint64_t)subject};
    fill(&owner, device, 8);
    fill(&stream->noise, previous, 32);
    uint8_t *at = put(row->body, stream->replica[replica], 16);
    at = put(put(put(at, &sequence, 8), &row->hlc, 8), words, 4);
    at = put(put_text(at, row->subject), device, 8);
    at = put(put_text(at, features[feature]), &text, 2);
    at = put_text(put(at, stream->purpose[feature][version], 32), versions[(b >> 16) & 7]);
    row->length = (int)(put(at, previous, 32) - row->body);
    uint64_t drawn = (uint64_t)subject << 16 | (uint64_t)resource << 8 | (uint64_t)kind << 4 | (uint64_t)outcome;
    stream->digest = (stream->digest ^ drawn) * 0x100000001B3u;
}

int bench_stream(long count) {
    static Stream stream;
    Row row;
    long long bytes = 0;
    stream_begin(&stream, 1);
    for (long i = 0; i < count; i++) {
        stream_next(&stream, &row);
        bytes += row.length;
    }
    printf("{\"events\":%ld,\"bytes\":%lld,\"digest\":\"%016llx\"}\n", count, bytes,
           (unsigned long long)stream.digest);
    return 0;
}
