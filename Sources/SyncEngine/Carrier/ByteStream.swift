/// A two-way stream of bytes that a session runs over; a socket now, TLS over one later.
package protocol ByteStream: AnyObject {
    /// Waits until bytes can be read, until some can be written if that is wanted, or until time
    /// is up.
    func wait(
        forReading: Bool, forWriting: Bool, milliseconds: Int32
    ) throws(SyncError) -> Readiness
    /// What has arrived, up to `count` bytes; nil when there is nothing now, empty at the end.
    func read(upTo count: Int) throws(SyncError) -> [UInt8]?
    /// Passes on what the other side has room for now and says how many bytes that were.
    func write(_ bytes: ArraySlice<UInt8>) throws(SyncError) -> Int
}

/// What a stream is ready for.
package struct Readiness: Sendable, Hashable {
    package var canRead = false
    package var canWrite = false

    package init(canRead: Bool = false, canWrite: Bool = false) {
        self.canRead = canRead
        self.canWrite = canWrite
    }
}
