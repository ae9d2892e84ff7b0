/// A place in what is imported, and what is to be said about it.
package struct ImportRemark: Sendable, Hashable {
    /// The line, or the row of a table, from 1.
    package let line: Int
    /// Why, without any value that stands there.
    package let reason: String

    package init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

/// Remarks of one sort; all are counted, and the first are kept.
package struct ImportRemarks: Sendable, Hashable {
    package static let keptMax = 1000

    package private(set) var count = 0
    package private(set) var kept: [ImportRemark] = []

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func add(_ line: Int, _ reason: String) {
        count += 1
        if kept.count < Self.keptMax { kept.append(ImportRemark(line: line, reason: reason)) }
    }

    package mutating func add(_ others: ImportRemarks) {
        count += others.count
        kept += others.kept.prefix(Self.keptMax - kept.count)
    }
}

/// A time during which a resource was really used: no decision of anyone.
package struct ResourceUse: Sendable, Hashable {
    /// The lines that report it.
    package let lines: [Int]
    /// The application, as the report names it.
    package let application: String
    /// What was used.
    package let resource: String
    /// When it began, Unix milliseconds; nil when the report has only the end.
    package let begin: Int64?
    /// When it ended, Unix milliseconds; nil when the report has only the begin.
    package let end: Int64?
    /// Whether it went through a picker, for which nothing has to be allowed.
    package let isOutOfProcess: Bool
}

/// A use at a moment at which the ledger says that it was not allowed.
package struct UseWhileDenied: Sendable, Hashable {
    package let use: ResourceUse
    /// The moment that was asked about, Unix milliseconds.
    package let moment: Int64
    /// What the ledger says for that moment.
    package let status: PermissionStatus
    /// The events this rests on.
    package let evidence: [EventID]
}

/// What an import found and did.
package struct ImportReport: Sendable, Hashable {
    /// What the file was taken for.
    package let format: ImportFormat
    /// Whether nothing was written on purpose.
    package let isDryRun: Bool
    /// How many records were read: lines, or rows.
    package internal(set) var recordCount = 0
    /// How many events are new in the ledger, or would be.
    package internal(set) var addedCount = 0
    /// How many events were here already, from an earlier import or a sync.
    package internal(set) var presentCount = 0
    /// How many states are equal to what the ledger holds, so that nothing was added.
    package internal(set) var unchangedCount = 0
    /// How many payloads came in for events that were here without them.
    package internal(set) var payloadCount = 0
    /// How many intervals were kept as another branch of a log.
    package internal(set) var forkCount = 0
    /// Whether an export of another ledger was read, of which only observations are taken.
    package internal(set) var isForeignLedger = false
    /// What was not understood or not proven, and not taken.
    package internal(set) var setAside = ImportRemarks()
    /// What was understood and says nothing about a status.
    package internal(set) var skipped = ImportRemarks()
    /// What was taken though its time cannot be right.
    package internal(set) var doubtful = ImportRemarks()
    /// How many records report an access to a resource.
    package internal(set) var accessCount = 0
    /// The uses that these make up; no event comes of them.
    package internal(set) var uses: [ResourceUse] = []
    /// The uses that the ledger's statuses forbid.
    package internal(set) var usedWhileDenied: [UseWhileDenied] = []

    init(format: ImportFormat, isDryRun: Bool) {
        self.format = format
        self.isDryRun = isDryRun
    }
}

/// What a reader of a foreign format makes of a file before a ledger is asked.
package struct ImportBatch: Sendable {
    /// One state, and where it stands.
    package struct State: Sendable, Hashable {
        package let line: Int
        /// An observation without an idempotency key.
        package let draft: Draft
    }

    package internal(set) var recordCount = 0
    package internal(set) var states: [State] = []
    package internal(set) var accessCount = 0
    package internal(set) var uses: [ResourceUse] = []
    package internal(set) var setAside = ImportRemarks()
    package internal(set) var skipped = ImportRemarks()
    package internal(set) var doubtful = ImportRemarks()

    init() {}
}
