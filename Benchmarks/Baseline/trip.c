// What a round trip costs: a byte to another process and back, over TCP on this machine.
#include "baseline.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int bench_trip(long count) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t length = sizeof address;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0), at_once = 1;
    if (count < 1 || listener < 0 || bind(listener, (struct sockaddr *)&address, length)
        || listen(listener, 1) || getsockname(listener, (struct sockaddr *)&address, &length))
        return 2;
    pid_t child = fork();
    if (child < 0) return 3;
    char byte = 0;
    if (child == 0) {
        int called = accept(listener, NULL, NULL);
        setsockopt(called, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
        while (read(called, &byte, 1) == 1 && write(called, &byte, 1) == 1) {}
        _exit(0);
    }
    int line = socket(AF_INET, SOCK_STREAM, 0);
    if (line < 0 || connect(line, (struct sockaddr *)&address, length)) return 3;
    setsockopt(line, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    double start = now();
    for (long i = 0; i < count; i++)
        if (write(line, &byte, 1) != 1 || read(line, &byte, 1) != 1) return 3;
    double seconds = now() - start;
    close(line);
    waitpid(child, NULL, 0);
    printf("{\"count\":%ld,\"seconds\":%.6f}\n", count, seconds);
    return 0;
}
