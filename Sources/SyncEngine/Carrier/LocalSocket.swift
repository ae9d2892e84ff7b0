#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Unix-domain sockets of this user for other purposes than merging.
package enum LocalSocket {
    /// Makes a socket (mode 0600) and listens; one that a dead process left behind is replaced.
    ///
    /// - Parameter path: where; its directory must be there.
    /// - Returns: a descriptor that does not block.
    /// - Throws: `inUse`, `invalid`, `notFound`, `io`.
    package static func listen(at path: String) throws(SyncError) -> Int32 {
        try UnixSocketListener.listen(at: path)
    }

    /// Connects to a socket of this user.
    ///
    /// - Parameter path: where.
    /// - Returns: a descriptor that does not block.
    /// - Throws: `notFound` when nobody listens, `refused` for another user's, `timedOut`, `io`.
    package static func connect(to path: String) throws(SyncError) -> Int32 {
        let address = try UnixAddress(path)
        let descriptor = try UnixAddress.makeSocket()
        let failure = address.connect(descriptor)
        guard failure == 0 else {
            _ = PosixCall.close(descriptor)
            throw SyncError(connecting: path, failure)
        }
        guard isSameUser(descriptor) else {
            _ = PosixCall.close(descriptor)
            throw SyncError(.refused, "The process at \(path) runs as another user.")
        }
        return descriptor
    }

    /// Whether the process at the other end runs as this process's user.
    package static func isSameUser(_ descriptor: Int32) -> Bool {
        UnixAddress.isSameUser(descriptor)
    }
}
