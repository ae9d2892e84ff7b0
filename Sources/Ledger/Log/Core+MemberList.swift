extension Core {
    /// Everybody who is known, and who wrote a log that is here; the founder first.
    func memberList() -> [Member] {
        var replicas = rows.members.graph.known
        for chain in rows.chains.chains { replicas.insert(chain.author) }
        if let recoveryKey = rows.members.graph.roots?.recoveryKey { replicas.remove(recoveryKey) }
        let maker = rows.members.chosenMaker
        let holders = maker.map { rows.members.holders(of: $0.entry, $0.removal) }
        return replicas.map { member($0, holders) }.sorted {
            ($0.isFounder ? 0 : 1, $0.since?.value ?? .max, $0.replica)
                < ($1.isFounder ? 0 : 1, $1.since?.value ?? .max, $1.replica)
        }
    }

    func standing(of replica: ReplicaID) -> Member.Standing {
        let graph = rows.members.graph
        if graph.isMember(replica) {
            return replica == graph.roots?.founder ? .founder : .member
        }
        guard graph.known.contains(replica) else { return .unknown }
        return graph.removals[replica] == nil ? .known : .removed
    }

    /// What a replica is called by the last admission that counts.
    func name(of replica: ReplicaID) -> String? {
        rows.members.admissions(of: replica).last { $0.admission.name != nil }?.admission.name
    }

    private func member(_ replica: ReplicaID, _ holders: Set<ReplicaID>?) -> Member {
        let members = rows.members
        let first = members.admissions(of: replica).first?.entry
        let isFounder = replica == members.graph.roots?.founder
        let founding = members.entries.first {
            if case .founding = $0.content { $0.author == replica } else { false }
        }
        let standing = Set(members.graph.removals[replica] ?? [])
        return Member(
            replica: replica, name: name(of: replica), standing: self.standing(of: replica),
            isFounder: isFounder, admittedBy: isFounder ? nil : first?.author,
            since: isFounder ? founding?.timestamp : first?.timestamp,
            removals: members.removals(of: replica).map { (entry, removal) in
                Member.Removal(
                    event: entry.id, author: entry.author, timestamp: entry.timestamp,
                    points: removal.points, isOverruled: !standing.contains(entry.id))
            },
            lacksFolderKey: members.graph.isMember(replica)
                && holders.map { !$0.contains(replica) } ?? false)
    }

    /// Replicas whose logs were offered and not taken, with how much they offered.
    func strangers() throws(LedgerError) -> [Stranger] {
        var strangers: [Stranger] = []
        for row in try store.strangers() where !rows.members.graph.known.contains(row.author) {
            if strangers.last?.replica == row.author, var last = strangers.popLast() {
                last.logCount += 1
                last.eventCount += row.size
                last.lastOffered = max(last.lastOffered, row.milliseconds)
                strangers.append(last)
            } else {
                strangers.append(
                    Stranger(
                        replica: row.author, logCount: 1, eventCount: row.size,
                        lastOffered: row.milliseconds))
            }
        }
        return strangers
    }
}
