#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>
#if defined(__linux__)
#include <fcntl.h>
#include <linux/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <sys/stat.h>
#endif
#include <stdatomic.h>
#include <string.h>

/// SQLITE_STATIC and SQLITE_TRANSIENT are cast pointers, which Swift does not import.
static inline int csqlite_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_STATIC);
}
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/// sqlite3_db_config is variadic. Defensive mode keeps SQL from writing to the file's own structures.
static inline int csqlite_set_defensive(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}

/// The wal-index as SQLite itself has it mapped, or null. Its first 48 bytes change with every commit
/// (https://sqlite.org/walformat.html#the_wal_index_header), so comparing them tells whether another
/// process committed without a system call. Opening the -shm file ourselves and closing it again
/// would drop SQLite's POSIX locks.
static inline const void *csqlite_wal_index(sqlite3 *database) {
    sqlite3_file *file = 0;
    volatile void *page = 0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return 0;
    if (file == 0 || file->pMethods == 0 || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == 0) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &page) != SQLITE_OK) return 0;
    return (const void *)page;
}

/// A torn read differs from the known bytes, and then the caller looks properly.
static inline int csqlite_wal_index_equals(const void *page, const void *known) {
    atomic_thread_fence(memory_order_seq_cst);
    return memcmp(page, known, 48) == 0;
}
static inline void csqlite_wal_index_copy(const void *page, void *known) {
    atomic_thread_fence(memory_order_seq_cst);
    memcpy(known, page, 48);
}

/// When a file was made, in nanoseconds since 1970; -1 where the file system does not keep it.
/// glibc declares statx(2) only with _GNU_SOURCE, which Swift does not set.
static inline long long csqlite_birth_time(const char *path) {
#if defined(__linux__)
    struct statx status;
    if (syscall(SYS_statx, AT_FDCWD, path, 0, STATX_BTIME, &status) != 0) return -1;
    if ((status.stx_mask & STATX_BTIME) == 0) return -1;
    return (long long)status.stx_btime.tv_sec * 1000000000 + status.stx_btime.tv_nsec;
#else
    struct stat status;
    if (stat(path, &status) != 0) return -1;
    return (long long)status.st_birthtimespec.tv_sec * 1000000000 + status.st_birthtimespec.tv_nsec;
#endif
}

#endif
