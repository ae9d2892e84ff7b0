#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Keeps what the process has in memory from being written down when it crashes.
enum ProcessSafety {
    /// Turns off crash backtraces and core dumps, and lets nobody else read new files.
    ///
    /// The Swift runtime reads `SWIFT_BACKTRACE` before `main` and, where backtraces are on, has
    /// put its own handlers in place, which start a program that prints registers with the memory
    /// they point to. Giving the signals back to the system undoes that for good.
    static func apply() {
        for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
            signal(number, SIG_DFL)
        }
        // A parent may hand down blocked signals, which then would wait for ever.
        var unblocked = sigset_t()
        sigemptyset(&unblocked)
        sigprocmask(SIG_SETMASK, &unblocked, nil)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        #else
        setrlimit(RLIMIT_CORE, &none)
        #endif
        umask(0o077)
    }
}
