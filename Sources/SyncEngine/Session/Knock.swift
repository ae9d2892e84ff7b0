package import Ledger

/// What a replica says first to the one that invited it, before it greets
/// (`docs/SYNC.md`, "Joining").
package struct Knock: Sendable, Equatable {
    package static let frameType: UInt8 = 13
    static let bodyLength = 48

    package let token: Bytes16
    package let sealingKey: Bytes32

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.raw(Self.head)
        writer.half(token)
        writer.hash(sealingKey)
        return writer.bytes
    }

    /// Length, type and flags: always the same, so that a caller's first bytes tell what it wants.
    static var head: [UInt8] {
        [0, 0, 0, UInt8(bodyLength + Frame.headLength), frameType, Frame.mustUnderstand]
    }

    package init(token: Bytes16, sealingKey: Bytes32) {
        self.token = token
        self.sealingKey = sealingKey
    }
}

/// What the inviter answers.
package enum KnockAnswer {
    package static let frameType: UInt8 = 14
    /// An answer's frame, whatever the outcome.
    static let length = 4 + Frame.headLength + 1

    package static func encode(_ outcome: JoinOutcome) -> [UInt8] {
        [
            0, 0, 0, UInt8(Frame.headLength + 1), frameType, Frame.mustUnderstand,
            outcome.rawValue,
        ]
    }

    package static func decode(_ frame: Frame) throws(SyncError) -> JoinOutcome {
        guard frame.type == frameType, frame.body.count == 1 else {
            throw SyncError(.malformed, "The inviter answered something else than expected.")
        }
        guard let outcome = JoinOutcome(rawValue: frame.body[0]) else {
            throw SyncError(
                .version,
                "The inviter gave answer \(frame.body[0]), which this version does not "
                    + "know; update this side.")
        }
        return outcome
    }
}

/// Tells from a caller's first bytes whether it shows a token; holds less than one such frame.
struct KnockReader: Sendable {
    enum First: Sendable {
        /// A token, and what came after it.
        case token(Knock, rest: [UInt8])
        /// Something else: all that came.
        case other([UInt8])
    }

    private var bytes: [UInt8] = []

    /// Takes bytes as they come, cut anywhere; nil until they are enough to tell.
    mutating func take(_ more: [UInt8]) -> First? {
        bytes += more
        let head = Knock.head
        guard bytes.starts(with: head.prefix(bytes.count)) else { return .other(bytes) }
        let length = head.count + Knock.bodyLength
        guard bytes.count >= length, let token = Bytes16(bytes[head.count..<(head.count + 16)]),
            let sealingKey = Bytes32(bytes[(head.count + 16)..<length])
        else { return nil }
        return .token(
            Knock(token: token, sealingKey: sealingKey), rest: Array(bytes[length...]))
    }
}
