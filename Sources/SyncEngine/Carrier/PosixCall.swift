#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// C functions under a name that no method of ours can hide.
enum PosixCall {
    static func read(_ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.read(descriptor, target, count)
        #else
        Darwin.read(descriptor, target, count)
        #endif
    }

    static func write(_ descriptor: Int32, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.write(descriptor, source, count)
        #else
        Darwin.write(descriptor, source, count)
        #endif
    }

    static func close(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.close(descriptor)
        #else
        Darwin.close(descriptor)
        #endif
    }

    static func rename(_ old: String, _ new: String) -> Int32 {
        #if canImport(Glibc)
        Glibc.rename(old, new)
        #else
        Darwin.rename(old, new)
        #endif
    }

    static func connect(
        _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) -> Int32 {
        #if canImport(Glibc)
        Glibc.connect(descriptor, address, length)
        #else
        Darwin.connect(descriptor, address, length)
        #endif
    }

    static func bind(
        _ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t
    ) -> Int32 {
        #if canImport(Glibc)
        Glibc.bind(descriptor, address, length)
        #else
        Darwin.bind(descriptor, address, length)
        #endif
    }

    static func listen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.listen(descriptor, backlog)
        #else
        Darwin.listen(descriptor, backlog)
        #endif
    }

    static func accept(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
        Glibc.accept(descriptor, nil, nil)
        #else
        Darwin.accept(descriptor, nil, nil)
        #endif
    }

    /// What the last failed call of this thread said, in the system's words.
    static func message(_ code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
