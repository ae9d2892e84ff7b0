/// What is known of the erasure of one subject.
///
/// ```swift
/// let erasure: Erasure = try ledger.erase("ada")
/// let first: Erasure.Statement? = erasure.statements.first
/// let confirmed = erasure.statements.map(\.replica)
/// if !erasure.isScrubbedHere { try ledger.finishErasures() }
/// ```
public struct Erasure: Sendable, Hashable {
    /// A replica's own word that it dropped the subject's content.
    public struct Statement: Sendable, Hashable {
        /// The `erased` event.
        public let event: EventID
        /// Whose it is.
        public let replica: ReplicaID
        /// When it was written.
        public let timestamp: Timestamp
        /// The erasure it confirms; nil for one that was asked for there.
        public let confirms: EventID?
    }

    /// The subject's tag; its name is gone.
    public let tag: SubjectTag
    /// In the order of their times, the first one first.
    public let statements: [Statement]
    /// Replicas that have not said so: they may be offline, and hold the content until they merge.
    public let outstanding: [ReplicaID]
    /// Whether no erased byte is left in this replica's database and its write-ahead log.
    public let isScrubbedHere: Bool
}

extension Ledger {
    /// Erases a person: drops salts and payloads of all events about them, here and wherever this
    /// ledger's events arrive.
    ///
    /// Headers, tree and proofs stay, so everything still verifies. Statuses become notDetermined;
    /// afterwards only denials are recorded for the subject, without anything about the person, and
    /// all other appends fail with `subjectErased`. It cannot be taken back, and a returning person
    /// gets a new subject id. Where it was erased before, nothing is added.
    ///
    /// Copies that merging does not reach (backups, exports) are not touched. Then the database is
    /// written anew, so that no erased byte is left in it: other calls wait meanwhile.
    ///
    /// - Parameter subject: the person.
    /// - Returns: what is known of it; `isScrubbedHere` is false when a long read in progress kept
    ///   the old content alive. Then ``finishErasures()`` has to follow.
    /// - Throws: `invalid` for a name against the rules; `readOnly`, `busy`, `noSpace`, `damaged`,
    ///   `io`. Once this has returned or thrown from the last part, the erasure is durable.
    /// - Complexity: O(n) in the size of the database.
    @discardableResult
    public func erase(_ subject: String) throws(LedgerError) -> Erasure {
        try Identifier.validate(subject, field: "subject")
        return try withCore { (core) throws(LedgerError) in
            let tag = try core.tags.tag(subject)
            try core.write { () throws(LedgerError) in try core.erase(tag) }
            _ = try core.finishErasures()
            return try core.withSnapshot { () throws(LedgerError) in
                guard let erasure = try core.erasure(of: tag) else {
                    throw core.store.damaged("erasure")
                }
                return erasure
            }
        }
    }

    /// What is known of the erasure of a subject.
    ///
    /// - Parameter subject: the person.
    /// - Returns: nil when it was not erased, as far as is known here.
    /// - Throws: `invalid` for a name against the rules, `busy`, `damaged`, `io`.
    public func erasure(of subject: String) throws(LedgerError) -> Erasure? {
        try Identifier.validate(subject, field: "subject")
        return try withCore { (core) throws(LedgerError) in
            let tag = try core.tags.tag(subject)
            return try core.withSnapshot { () throws(LedgerError) in try core.erasure(of: tag) }
        }
    }

    /// All erasures, by tag.
    ///
    /// - Returns: ascending by tag.
    /// - Throws: `busy`, `damaged`, `io`.
    public func erasures() throws(LedgerError) -> [Erasure] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in
                var erasures: [Erasure] = []
                for tag in core.projector.erasures.keys.sorted() {
                    if let erasure = try core.erasure(of: tag) { erasures.append(erasure) }
                }
                return erasures
            }
        }
    }

    /// Removes what is left of erased content from this replica's files, and confirms the
    /// erasures of others to them.
    ///
    /// ``erase(_:)``, ``ingest(_:)`` and ``close()`` do so themselves; call it where one of them
    /// met a long read in progress. Costs nothing where nothing is left to do.
    ///
    /// - Returns: whether nothing is left to do.
    /// - Throws: `busy`, `noSpace`, `damaged`, `io`.
    /// - Complexity: O(n) in the size of the database, where there is something to do.
    @discardableResult
    public func finishErasures() throws(LedgerError) -> Bool {
        try withCore { (core) throws(LedgerError) in try core.finishErasures() }
    }
}
