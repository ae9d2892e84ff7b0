import Ledger

@testable import SyncEngine

/// Two sessions that stay open, joined by a line in memory that runs until nothing moves.
struct LiveLink {
    var sides: [Session]
    private(set) var endings: [Result<SyncReport, SyncError>?] = [nil, nil]
    /// What waits on the way to each side.
    private var lines: [[UInt8]] = [[], []]
    private(set) var bytes = 0
    /// The messages that each side has sent.
    private(set) var sent: [[Message]] = [[], []]
    var now: Int64 = 0

    init(
        _ left: any ReplicaLog, _ right: any ReplicaLog,
        options: (SessionOptions, SessionOptions)? = nil, settles: Bool = true
    ) {
        var open = SessionOptions()
        open.staysOpen = true
        let (first, second) = options ?? (open, open)
        sides = [
            Session(.initiator, log: left, options: first),
            Session(.responder, log: right, options: second),
        ]
        for side in 0...1 {
            take(side, sides[side].start())
            take(side, sides[side].tick(0))
        }
        if settles { settle() }
    }

    private mutating func take(_ side: Int, _ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .send(let bytes):
                lines[1 - side] += bytes
                self.bytes += bytes.count
                var splitter = FrameSplitter()
                splitter.append(bytes)
                while let frame = try? splitter.next(), let message = try? Message.decode(frame) {
                    sent[side].append(message)
                }
            case .done(let report): endings[side] = .success(report)
            case .failed(let error): endings[side] = .failure(error)
            }
        }
    }

    /// Delivers until nothing moves, or until so many bytes have passed.
    ///
    /// - Returns: whether nothing moves.
    @discardableResult
    mutating func settle(atMost limit: Int = .max, portion: (Int) -> Int = { $0 }) -> Bool {
        var left = limit
        for _ in 0..<1_000_000 {
            for side in 0...1 where sides[side].hasWork { take(side, sides[side].tick(now)) }
            for side in 0...1 where lines[1 - side].isEmpty {
                take(side, sides[side].drained())
            }
            guard lines.contains(where: { !$0.isEmpty }) else { return true }
            for side in 0...1 where !lines[side].isEmpty {
                let count = min(max(1, portion(lines[side].count)), lines[side].count, left)
                guard count > 0 else { return false }
                left -= count
                let bytes = Array(lines[side].prefix(count))
                lines[side].removeFirst(count)
                take(side, sides[side].receive(bytes))
            }
        }
        return false
    }

    /// Tells a side that its log changed, and lets that pass.
    mutating func changed(_ side: Int, settles: Bool = true) {
        sides[side].noteLogChange()
        take(side, sides[side].drained())
        if settles { settle() }
    }

    mutating func pass(milliseconds: Int64, settles: Bool = true) {
        now += milliseconds
        for side in 0...1 { take(side, sides[side].tick(now)) }
        if settles { settle() }
    }

    mutating func leave(_ side: Int) {
        take(side, sides[side].leave())
        settle()
    }

    mutating func inject(_ message: Message, to side: Int) {
        take(side, sides[side].receive(message.encoded))
        settle()
    }
}
