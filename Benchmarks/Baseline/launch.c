// Runs a command again and again and prints what a whole process costs: launch COUNT COMMAND WORD…
//
// posix_spawn and wait4 from a small process: a large or interpreted parent would add its own time.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int count, char **words) {
    int runs = count > 2 ? atoi(words[1]) : 0;
    if (runs < 1) return 2;
    double *seconds = calloc((size_t)runs, sizeof *seconds);
    long peak = 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    for (int run = 0; run < runs; run++) {
        pid_t child;
        int status;
        struct rusage usage;
        double start = now();
        if (posix_spawnp(&child, words[2], &actions, NULL, words + 2, environ)) return 3;
        if (wait4(child, &status, 0, &usage) < 0) return 3;
        seconds[run] = now() - start;
        if (!WIFEXITED(status) || WEXITSTATUS(status)) {
            fprintf(stderr, "%s ended with %d\n", words[2], status);
            return 4;
        }
        if (usage.ru_maxrss > peak) peak = usage.ru_maxrss;
    }
    qsort(seconds, (size_t)runs, sizeof *seconds, ascending);
    printf("{\"runs\":%d,\"seconds\":%.6f,\"peakKB\":%ld}\n", runs, seconds[runs / 2], peak);
    return 0;
}
