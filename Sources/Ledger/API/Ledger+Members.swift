extension Ledger {
    /// Everybody the ledger knows, the founder first, then by when they were admitted.
    ///
    /// Reads no events; costs no fsync.
    ///
    /// - Returns: removed replicas too, and this one even where nobody admitted it yet.
    /// - Throws: `busy`, `damaged`, `io`.
    public func members() throws(LedgerError) -> [Member] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { core.memberList() }
        }
    }

    /// What a replica is to the ledger now.
    ///
    /// Answered from memory while nobody commits.
    ///
    /// - Parameter replica: which one.
    /// - Returns: `unknown` for one that nobody admitted.
    /// - Throws: `busy`, `damaged`, `io`.
    public func standing(of replica: ReplicaID) throws(LedgerError) -> Member.Standing {
        try withCore { (core) throws(LedgerError) in
            if core.isCurrent { return core.standing(of: replica) }
            return try core.withSnapshot { core.standing(of: replica) }
        }
    }

    /// Replicas that nobody admitted and whose logs were offered here and not taken.
    ///
    /// - Returns: by id; the 1,024 logs that were offered last.
    /// - Throws: `busy`, `damaged`, `io`.
    public func strangers() throws(LedgerError) -> [Stranger] {
        try withCore { (core) throws(LedgerError) in
            try core.withSnapshot { () throws(LedgerError) in try core.strangers() }
        }
    }

    /// Admits a replica: from now on its log is taken, here and wherever this admission arrives.
    ///
    /// Costs one fsync; none where the replica is a member already and no other name is given.
    ///
    /// - Parameters:
    ///   - replica: its id, as its own ledger shows it.
    ///   - name: what people call it; the last name that was given counts.
    /// - Returns: the admission; with ``Receipt/isNew`` false when nothing had to be written.
    /// - Throws: `notMember` when this replica may not admit, `conflict` for one that was removed,
    ///   `invalid` for a name against the rules; `readOnly`, `busy`, `noSpace`, `io`.
    @discardableResult
    public func admit(
        _ replica: ReplicaID, name: String? = nil
    ) throws(LedgerError) -> Receipt {
        if let name { try Identifier.validate(name, field: "name") }
        return try changeMembers { (core) throws(LedgerError) in
            try core.admit(replica, name: name)
        }
    }

    /// Gives a member another name.
    ///
    /// Costs one fsync; none where it has that name already.
    ///
    /// - Parameters:
    ///   - replica: a member.
    ///   - name: what people call it from now on.
    /// - Returns: the admission that says so.
    /// - Throws: `notFound` when it is not a member; else as ``admit(_:name:)``.
    @discardableResult
    public func rename(_ replica: ReplicaID, name: String) throws(LedgerError) -> Receipt {
        try Identifier.validate(name, field: "name")
        return try changeMembers { (core) throws(LedgerError) in
            guard core.rows.members.graph.isMember(replica) else {
                throw LedgerError(.notFound, "Replica \(replica) is not a member.")
            }
            return try core.admit(replica, name: name)
        }
    }

    /// Removes a replica, for instance one that was lost or stolen.
    ///
    /// What is held here of its logs goes on counting; of anything else it wrote or will write
    /// only a denial or restriction counts. Costs one fsync, and where events lose their weight
    /// as many reads as they are.
    ///
    /// - Parameter replica: its id.
    /// - Returns: the removal; with ``Receipt/isNew`` false when it was removed already.
    /// - Throws: `notFound` for one that nobody admitted, `notMember` when this replica is not
    ///   known; `readOnly`, `busy`, `noSpace`, `io`.
    @discardableResult
    public func remove(_ replica: ReplicaID) throws(LedgerError) -> Receipt {
        try withCore { (core) throws(LedgerError) in try core.signTail() }
        return try changeMembers { (core) throws(LedgerError) in try core.remove(replica) }
    }

    /// Admits a replica with the recovery key, also one that was removed: the removals known here
    /// are overruled, and all it wrote counts again.
    ///
    /// The recovery key writes a short log of its own. Costs one fsync.
    ///
    /// - Parameters:
    ///   - replica: its id.
    ///   - name: what people call it.
    ///   - key: what ``create(at:environment:)`` returned.
    /// - Returns: the admission; with ``Receipt/isNew`` false when it is a member already.
    /// - Throws: `invalid` for another ledger's key, `notFound` while the founder's log is not
    ///   here; `readOnly`, `busy`, `noSpace`, `io`.
    @discardableResult
    public func admit(
        _ replica: ReplicaID, name: String? = nil, with key: RecoveryKey
    ) throws(LedgerError) -> Receipt {
        if let name { try Identifier.validate(name, field: "name") }
        return try changeMembers { (core) throws(LedgerError) in
            try core.readmit(replica, name: name, key)
        }
    }

    private func changeMembers(
        _ body: (Core) throws(LedgerError) -> Receipt
    ) throws(LedgerError) -> Receipt {
        try withCore { (core) throws(LedgerError) in
            let receipt = try core.write { () throws(LedgerError) in
                try core.loadFrontier()
                let receipt = try body(core)
                try core.shareFolderSecrets()
                return receipt
            }
            // What is recorded is durable; deferred work that fails now is tried again later.
            try? core.flushIfNeeded()
            return receipt
        }
    }
}
