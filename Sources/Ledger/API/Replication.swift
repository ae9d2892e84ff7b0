/// How much of one chain of a log a replica holds up to a signed checkpoint.
///
/// ```swift
/// for tip: Tip in try other.tips() {
///     if try ledger.holds(tip) { continue }
///     let intervals: [Interval] = try other.intervals(of: tip, from: 0, bytesMax: 1 << 20)
///     for result in try ledger.ingest(intervals) {
///         let receipt: IngestReceipt = try result.get()
///         newEvents += receipt.newEvents
///     }
/// }
/// ```
public struct Tip: Sendable, Hashable, Comparable {
    /// The log.
    public let log: LogID
    /// How many events the newest checkpoint covers.
    public let size: UInt64
    /// Their root.
    public let root: Bytes32

    /// Makes a tip.
    ///
    /// - Parameters:
    ///   - log: the log.
    ///   - size: how many events the newest checkpoint covers.
    ///   - root: their root.
    public init(log: LogID, size: UInt64, root: Bytes32) {
        self.log = log
        self.size = size
        self.root = root
    }

    /// Orders by log, size and root.
    public static func < (left: Tip, right: Tip) -> Bool {
        (left.log, left.size, left.root) < (right.log, right.size, right.root)
    }
}

/// An event as it travels: header, salt and payload bytes exactly as stored.
///
/// ```swift
/// let body: StoredEvent.Body? = last.body
/// let bare = StoredEvent(header: last.header, body: nil)
/// ```
public struct StoredEvent: Sendable, Hashable {
    /// The header.
    public let header: EventHeader
    /// The salt and the payload; nil when the payload is missing or erased.
    public let body: Body?
    /// Why the body is not here; of no meaning when it is.
    package let hole: Hole

    /// Why a payload is not here; the codes are part of the format (`docs/SYNC.md`, "Interval").
    package enum Hole: UInt8, Sendable, Hashable {
        /// It never came.
        case missing = 1
        /// Its subject was erased; it never comes again.
        case erased = 2
        /// What came in its place did not match the header.
        case refused = 3
    }

    /// Salt and payload.
    public struct Body: Sendable, Hashable {
        /// Salt and payload, one after the other, as they are hashed and stored.
        package let bytes: [UInt8]
        private let saltLength: Int

        /// 16 bytes.
        public var salt: [UInt8] { Array(bytes[..<saltLength]) }
        /// The payload.
        public var payload: [UInt8] { Array(bytes[saltLength...]) }
        /// How many bytes the payload has.
        package var payloadLength: Int { bytes.count - saltLength }
        /// Whether the salt has the length it must have.
        package var hasWholeSalt: Bool { saltLength == StoredRow.saltLength }

        /// Makes a body.
        ///
        /// - Parameters:
        ///   - salt: 16 bytes.
        ///   - payload: the payload.
        public init(salt: [UInt8], payload: [UInt8]) {
            bytes = salt + payload
            saltLength = salt.count
        }

        /// Makes a body of a salt of 16 bytes and what follows it.
        package init(bytes: [UInt8]) {
            self.bytes = bytes
            saltLength = min(StoredRow.saltLength, bytes.count)
        }

        /// Calls `body` with the payload's bytes, which are valid inside it only.
        package func withPayload<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
            bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[saltLength...])) }
        }
    }

    /// Makes an event to hand to ``Ledger/ingest(_:)``.
    ///
    /// - Parameters:
    ///   - header: the header.
    ///   - body: the salt and the payload, if they are here.
    public init(header: EventHeader, body: Body?) {
        self.header = header
        self.body = body
        hole = .missing
    }

    /// Makes an event whose payload is not here.
    package init(header: EventHeader, hole: Hole) {
        self.header = header
        body = nil
        self.hole = hole
    }
}

/// A contiguous run of a log's events that ends at a signed checkpoint.
///
/// ```swift
/// let part = Interval(
///     first: full.first, events: full.events.dropLast() + [bare],
///     checkpoint: full.checkpoint)
/// ```
public struct Interval: Sendable, Hashable {
    /// The sequence of the first event.
    public let first: UInt64
    /// The events, in order.
    public let events: [StoredEvent]
    /// The checkpoint whose size is `first` plus the number of events.
    public let checkpoint: Checkpoint
    /// The events' ids, where whoever made them computed these, and the commitments of payloads
    /// that are here, from the bytes themselves.
    let ids: [EventID]?

    /// Makes an interval.
    ///
    /// - Parameters:
    ///   - first: the sequence of the first event.
    ///   - events: the events, in order.
    ///   - checkpoint: the checkpoint at their end.
    public init(first: UInt64, events: [StoredEvent], checkpoint: Checkpoint) {
        self.init(first: first, events: events, checkpoint: checkpoint, ids: nil)
    }

    /// Makes an interval whose hashes need not be computed again.
    ///
    /// - Parameters:
    ///   - first: the sequence of the first event.
    ///   - events: the events, in order, their commitments computed from their payloads.
    ///   - checkpoint: the checkpoint at their end.
    ///   - ids: the leaf hashes computed from the events' headers.
    package init(
        first: UInt64, events: [StoredEvent], checkpoint: Checkpoint, ids: [EventID]?
    ) {
        self.first = first
        self.events = events
        self.checkpoint = checkpoint
        self.ids = ids?.count == events.count ? ids : nil
    }

    /// The ids follow from the events.
    public static func == (left: Interval, right: Interval) -> Bool {
        left.first == right.first && left.events == right.events
            && left.checkpoint == right.checkpoint
    }

    /// Feeds what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
        hasher.combine(events)
        hasher.combine(checkpoint)
    }
}

/// What became of an ingested interval.
///
/// ```swift
/// for result in try ledger.ingest(intervals) {
///     let receipt: IngestReceipt = try result.get()
///     newEvents += receipt.newEvents
/// }
/// ```
public struct IngestReceipt: Sendable, Hashable {
    /// How many events are new in the set.
    public let newEvents: Int
    /// How many payloads came in for events that were here already.
    public let newPayloads: Int
    /// How many payloads did not match their header and were not stored.
    public let refusedPayloads: Int
    /// Whether the range left the chain that was here and was kept as another.
    public let isFork: Bool
}
