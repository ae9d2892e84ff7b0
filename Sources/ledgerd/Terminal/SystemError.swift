#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The operating system's error numbers that are told apart here.
enum SystemError {
    static let notFound = ENOENT
    static let exists = EEXIST
    static let accessDenied = EACCES
    static let brokenPipe = EPIPE

    /// The system's words for an error number.
    static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
