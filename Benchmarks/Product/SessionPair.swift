import Ledger
import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Two open sessions in one thread, joined by a pair of sockets: what is said, without encryption.
struct SessionPair: ~Copyable {
    private var sides: [Session]
    private var descriptors: [Int32] = [-1, -1]
    /// What waits to be written by each side.
    private var waiting: [[UInt8]] = [[], []]
    private(set) var bytes = 0
    /// How often the direction changed: two are a round trip.
    private(set) var turns = 0
    private var lastSender = -1

    init(_ left: Ledger, _ right: Ledger, staysOpen: Bool = true) throws(SyncError) {
        var options = SessionOptions()
        options.staysOpen = staysOpen
        sides = [
            Session(.initiator, log: left, options: options),
            Session(.responder, log: right, options: options),
        ]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &descriptors) == 0 else {
            throw SyncError(.io, "No pair of sockets could be made.")
        }
        for side in 0...1 { try take(side, sides[side].start()) }
        try settle()
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    func report(_ side: Int) -> SyncReport { sides[side].report }

    private mutating func take(_ side: Int, _ actions: [SessionAction]) throws(SyncError) {
        for action in actions {
            switch action {
            case .send(let sent): waiting[side] += sent
            case .done: break
            case .failed(let error): throw error
            }
        }
    }

    /// Passes on what a side has said.
    private mutating func pass(from side: Int) throws(SyncError) {
        if lastSender != side { turns += 1 }
        lastSender = side
        let said = waiting[side]
        waiting[side] = []
        bytes += said.count
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        for start in stride(from: 0, to: said.count, by: chunk.count) {
            let part = said[start..<min(start + chunk.count, said.count)]
            let written = part.withUnsafeBytes {
                write(descriptors[side], $0.baseAddress, $0.count)
            }
            let count = read(descriptors[1 - side], &chunk, chunk.count)
            guard written == part.count, count == part.count else {
                throw SyncError(.io, "A pair of sockets lost bytes.")
            }
            try take(1 - side, sides[1 - side].receive(Array(chunk[..<count])))
        }
    }

    /// Goes on until nothing moves.
    mutating func settle() throws(SyncError) {
        while true {
            for side in 0...1 where waiting[side].isEmpty {
                try take(side, sides[side].drained())
            }
            guard waiting.contains(where: { !$0.isEmpty }) else { return }
            for side in 0...1 where !waiting[side].isEmpty { try pass(from: side) }
        }
    }
}
