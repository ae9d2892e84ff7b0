package import Ledger

/// Who speaks, and of what: the first frame of either side.
package struct Hello: Sendable, Equatable {
    package static let magic: UInt32 = 0x434C_5331  // "CLS1"
    package static let supported: ClosedRange<UInt64> = 2...4
    /// From this version on a side may send a new interval without being asked.
    package static let pushesFrom: UInt64 = 3
    /// From this version on both ends of a stream remember more of it.
    package static let remembersMoreFrom: UInt64 = 4

    package var versions: ClosedRange<UInt64>
    package var ledger: LedgerID
    /// All zero where the replica's key is not here.
    package var replica: Bytes32
    package var digest: Bytes32
    /// Whether the side would like to go on after both are in sync.
    package var staysOpen = false
}

/// A tip as it travels: with how many payloads of the chain are missing, and which.
package struct TipEntry: Sendable, Hashable {
    package var tip: Tip
    package var missingCount: UInt64
    /// The first 8 bytes of the digest of the missing positions; 0 for none.
    package var missingDigest: UInt64

    package init(tip: Tip, missingCount: UInt64 = 0, missingDigest: UInt64 = 0) {
        self.tip = tip
        self.missingCount = missingCount
        self.missingDigest = missingDigest
    }

    package init(_ state: TipState) {
        self.init(
            tip: state.tip, missingCount: state.missingCount, missingDigest: state.missingDigest)
    }
}

/// The range the receiver wants, and how many bytes of it may come at once.
package struct Want: Sendable, Equatable {
    /// Numbers the receiver's wants; what comes for an older one is dropped.
    package var stream: UInt32
    package var tip: Tip
    package var first: UInt64
    /// Where to stop; the interval that passes it is the last.
    package var end: UInt64
    package var credit: UInt64
    /// Send the ids of events in full: references could not be used.
    package var wholeIDs = false
    /// Go on with what was said in the last stream, which came to its end and was decoded.
    package var continues = false
}

/// Part of one encoded interval.
package struct Part: Sendable {
    package var stream: UInt32
    package var isLast: Bool
    package var bytes: [UInt8]
}

/// All of a wanted range was sent, or cannot be.
package struct StreamEnd: Sendable, Equatable {
    package enum Outcome: UInt8, Sendable {
        case complete, notHere, tooLarge, failed
    }
    package var stream: UInt32
    package var outcome: Outcome
}

/// A new interval that the receiver was not known to lack a moment ago; encoded on its own.
package struct Push: Sendable {
    package var log: LogID
    package var bytes: [UInt8]
}

/// A pushed interval is durable at the receiver.
package struct Taken: Sendable, Equatable {
    package var log: LogID
    package var size: UInt64
    package var newEvents: UInt64
}

/// Everything of a stream up to a size is durable at the receiver.
package struct Acknowledgement: Sendable, Equatable {
    package var stream: UInt32
    package var size: UInt64
    package var newEvents: UInt64
    package var credit: UInt64
}

/// The receiver did not take something, and why.
package struct Refusal: Sendable, Equatable {
    package var log: LogID
    package var size: UInt64
    package var reason: String
}

/// What one side has stored after it took all it could in a round.
package struct RoundEnd: Sendable, Equatable {
    package var round: UInt64
    package var digest: Bytes32
}

/// Why a side leaves.
package struct Bye: Sendable, Equatable {
    package enum Reason: UInt8, Sendable {
        case inSync, notInSync, version, foreignLedger, malformed, limit, failed, leaving
    }
    package var reason: Reason
    package var text: String
}

/// A decoded frame.
package enum Message: Sendable {
    case hello(Hello)
    case ranges([TipRange], isLast: Bool)
    case want(Want)
    case part(Part)
    case end(StreamEnd)
    case acknowledge(Acknowledgement)
    case setAside(Refusal)
    case digest(RoundEnd)
    case bye(Bye)
    case news([TipEntry])
    case ping(Bytes32)
    case pong(Bytes32)
    case push(Push)
    case taken(Taken)
}
