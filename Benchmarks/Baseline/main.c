#include "baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **words) {
    const char *verb = count > 1 ? words[1] : "";
    if (!strcmp(verb, "stream") && count == 3) return bench_stream(atol(words[2]));
    if (!strcmp(verb, "append") && count == 6) {
        Design design = strcmp(words[2], "bare") ? INDEXED : BARE;
        return bench_append(design, words[3], atol(words[4]), atol(words[5]));
    }
    if (!strcmp(verb, "durable") && count == 4) return bench_durable(words[2], atol(words[3]));
    if (!strcmp(verb, "status") && count == 4) return bench_status(words[2], atol(words[3]));
    if (!strcmp(verb, "history") && count == 4) return bench_history(words[2], atol(words[3]));
    if (!strcmp(verb, "delta") && count == 6) {
        return bench_delta(words[2], words[3], atol(words[4]), atol(words[5]));
    }
    if (!strcmp(verb, "trip") && count == 3) return bench_trip(atol(words[2]));
    fprintf(stderr,
            "baseline stream N\n"
            "baseline append bare|indexed FILE N BATCH\n"
            "baseline durable FILE N      FILE is a bare one\n"
            "baseline status FILE N       FILE is an indexed one\n"
            "baseline history FILE N      FILE is an indexed one\n"
            "baseline delta FILE COPY N ROUNDS   N new rows a round, passed to the copy\n"
            "baseline trip N              a byte there and back over TCP on this machine\n");
    return 2;
}
