/// What waits to leave through a socket, encrypted or not.
struct Line {
    /// As much is encrypted ahead of what the socket takes.
    private static let chunkLength = 64 << 10
    /// Buffers above this are given back once they are empty.
    private static let keptLength = 256 << 10

    let tls: TLSEngine?
    /// What was said and is not encrypted yet, or never is.
    private var said: [UInt8] = []
    private var saidStart = 0
    private var ready: ArraySlice<UInt8> = []
    private var isClosing = false

    init(_ tls: TLSEngine?) { self.tls = tls }

    /// How many bytes wait, before or after encryption.
    var waiting: Int { said.count - saidStart + ready.count + (tls?.pending ?? 0) }

    mutating func say(_ bytes: [UInt8]) { said += bytes }

    /// Says goodbye after what waits.
    mutating func close() { isClosing = true }

    /// Forgets what waits: nothing leaves any more.
    mutating func silence() {
        said = []
        saidStart = 0
        ready = []
        tls?.fail()
    }

    /// Passes on as much as the socket takes now.
    ///
    /// - Returns: how many bytes left.
    mutating func flush(to socket: SocketStream) throws(SyncError) -> Int {
        var sent = 0
        while true {
            if ready.isEmpty { ready = try next() }
            guard !ready.isEmpty else { return sent }
            let count = try socket.write(ready)
            guard count > 0 else { return sent }
            ready = ready.dropFirst(count)
            sent += count
        }
    }

    private mutating func next() throws(SyncError) -> ArraySlice<UInt8> {
        guard let tls else {
            defer { forget() }
            return said[saidStart...]
        }
        while tls.pending < Self.chunkLength, saidStart < said.count {
            let count = try tls.write(said[saidStart...])
            guard count > 0 else { break }
            saidStart += count
        }
        if saidStart == said.count {
            forget()
            if isClosing {
                isClosing = false
                tls.close()
            }
        }
        return tls.takeOutput(upTo: Self.chunkLength)[...]
    }

    private mutating func forget() {
        said.removeAll(keepingCapacity: said.capacity <= Self.keptLength)
        saidStart = 0
    }
}
