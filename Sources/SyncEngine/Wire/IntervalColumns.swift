package import Ledger

/// Where the parts of an interval's events stand, sorted by what they are (`docs/SYNC.md`,
/// "Interval"): like beside like compresses best.
enum Column {
    static let shape = 0
    static let newShape = 1
    static let time = 2
    static let counter = 3
    static let reference = 4
    static let replacedCount = 5
    static let holeLength = 6
    static let tag = 7
    /// The token column of a payload's field; its literals follow it.
    static func tokens(_ key: Int) -> Int { 16 + 2 * key }
    static func literals(_ key: Int) -> Int { 17 + 2 * key }
    /// Stands for the key of payloads that are not taken apart.
    static let wholePayload = CBORFields.keysMax
    static let count = 18 + 2 * wholePayload
}

/// What is the same for many events: kind, flags and the keys of the payload.
enum ShapeFlag {
    static let critical: UInt8 = 1
    /// Two bits: 0 the payload is here, else why not.
    static let holeShift: UInt8 = 1
    static let holeMask: UInt8 = 3
    static let tagShift: UInt8 = 3
    static let tagMask: UInt8 = 3
    static let replaces: UInt8 = 32
    static let fields: UInt8 = 64
    static let known: UInt8 = 127

    enum Tag: UInt8 {
        /// The event is about no subject.
        case none
        /// The tag of the subject that the payload names.
        case derived
        /// Given in bytes at its first appearance, then by its place.
        case listed
    }
}

/// How a literal value is spelt.
enum LiteralForm {
    static let bytes: UInt64 = 0
    /// Lower-case hexadecimal, two digits a byte.
    static let hex: UInt64 = 1
    /// The head of a byte string of 32, then the id of an event of the same log.
    static let eventID: UInt64 = 2
    static let eventIDHead: [UInt8] = [0x58, 0x20]
}

/// How much both ends of a stream of intervals remember, so that it is said once.
package struct StreamMemory: Sendable, Hashable {
    /// Past either, everything is forgotten before the next interval.
    let entriesMax: Int
    let bytesMax: Int

    /// Holds what 10,000 people and their devices are called.
    package static let wide = StreamMemory(entriesMax: 32_768, bytesMax: 1 << 20)
    /// As sessions up to version 3 and segments of format 1 have it.
    package static let narrow = StreamMemory(entriesMax: 4096, bytesMax: 128 << 10)

    /// Longer values are not remembered.
    static let valueLengthMax = 256
    /// Events whose ids may be referred to: of the newest so many, the receiver keeps the ids.
    static let recentMax = 131_072

    func isFull(entries: Int, bytes: Int) -> Bool { entries > entriesMax || bytes > bytesMax }
}

/// What encoding and decoding intervals need to know of the ledger.
package protocol IntervalHost: Sendable {
    /// The tag of a subject; nil for a name that has none.
    func subjectTag(of subject: String) throws(LedgerError) -> SubjectTag?
    /// The ids of a chain's events at some sequences; nil for those that are not here.
    func eventIDs(
        at sequences: [UInt64], of log: LogID
    ) throws(LedgerError) -> [EventID?]
}
