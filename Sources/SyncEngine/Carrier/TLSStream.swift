package import Ledger

/// TLS over a connected socket, for a session that has a thread to itself.
package final class TLSStream: ByteStream {
    /// As much is encrypted ahead of what the socket takes.
    private static let chunkLength = 64 << 10
    private static let pollMilliseconds: Int32 = 1000

    private let socket: SocketStream
    private let engine: TLSEngine
    private var unsent: ArraySlice<UInt8> = []
    /// What was encrypted and has not left: it is reported as written once it has.
    private var owed = 0
    private var mayHoldMore = true

    /// Whose key the other side proved.
    package var peer: ReplicaID? { engine.peer }

    /// Shakes hands; waits for it, but not for ever.
    ///
    /// - Throws: `refused`, `closed`, `timedOut`.
    package init(
        _ engine: TLSEngine, over socket: SocketStream, limitMilliseconds: Int64 = 10_000,
        clock: () -> Int64 = MonotonicClock.milliseconds
    ) throws(SyncError) {
        self.engine = engine
        self.socket = socket
        let end = clock() + limitMilliseconds
        try engine.advance()
        while engine.state == .handshaking || !unsent.isEmpty || engine.pending > 0 {
            try flush()
            // The last words have left: nothing is waited for.
            if engine.state == .open, unsent.isEmpty, engine.pending == 0 { break }
            let left = end - clock()
            guard left > 0 else {
                throw SyncError(.timedOut, "The peer did not finish its handshake; try again.")
            }
            let ready = try socket.wait(
                forReading: engine.state == .handshaking, forWriting: !unsent.isEmpty,
                milliseconds: min(Self.pollMilliseconds, Int32(clamping: left)))
            guard ready.canRead, engine.state == .handshaking,
                let bytes = try socket.read(upTo: Self.chunkLength)
            else { continue }
            guard !bytes.isEmpty else {
                throw SyncError(
                    .closed, "The peer hung up during the handshake; check the address.")
            }
            try engine.receive(bytes)
        }
    }

    package func wait(
        forReading: Bool, forWriting: Bool, milliseconds: Int32
    ) throws(SyncError) -> Readiness {
        let holdsMore = forReading && mayHoldMore
        var ready = try socket.wait(
            forReading: forReading, forWriting: forWriting || !unsent.isEmpty,
            milliseconds: holdsMore ? 0 : milliseconds)
        if ready.canWrite { try flush() }
        if holdsMore { ready.canRead = true }
        return ready
    }

    package func read(upTo count: Int) throws(SyncError) -> [UInt8]? {
        if mayHoldMore, let bytes = try engine.read(upTo: count) { return bytes }
        mayHoldMore = false
        guard let bytes = try socket.read(upTo: count) else { return nil }
        // Without the peer's goodbye it may have been cut off by anyone; the session can tell.
        if bytes.isEmpty { return [] }
        try engine.receive(bytes)
        mayHoldMore = true
        return try engine.read(upTo: count)
    }

    package func write(_ bytes: ArraySlice<UInt8>) throws(SyncError) -> Int {
        try flush()
        guard unsent.isEmpty else { return 0 }
        var written = min(owed, bytes.count)
        owed = 0
        while written < bytes.count {
            let count = try engine.write(bytes.dropFirst(written))
            guard count > 0 else { break }
            try flush()
            guard unsent.isEmpty else {
                owed = count
                break
            }
            written += count
        }
        return written
    }

    /// Passes on what is encrypted, as far as the socket takes it.
    private func flush() throws(SyncError) {
        while true {
            if unsent.isEmpty { unsent = engine.takeOutput(upTo: Self.chunkLength)[...] }
            guard !unsent.isEmpty else { return }
            let count = try socket.write(unsent)
            guard count > 0 else { return }
            unsent = unsent.dropFirst(count)
        }
    }
}
