/// A secret from which a key of the drop folder follows.
package struct FolderSecret: Sendable, Hashable {
    /// 0 until a member was removed.
    package let generation: UInt64
    /// The removal that made it; nil for the first, which is the ledger's key.
    ///
    /// Removals made apart from each other may make two of one generation.
    package let removal: EventID?
    /// 32 bytes.
    package let bytes: [UInt8]

    package init(generation: UInt64, removal: EventID?, bytes: [UInt8]) {
        self.generation = generation
        self.removal = removal
        self.bytes = bytes
    }

    /// The key that files are sealed with.
    package func key() throws(LedgerError) -> [UInt8] {
        try Crypto.derive(from: bytes, label: "consent-ledger/folder/1/\(generation)")
    }

    /// What a sealed secret is good for, so that it opens nowhere else.
    static func context(
        _ ledger: LedgerID, _ recipient: ReplicaID, generation: UInt64, removal: EventID?
    ) -> [UInt8] {
        ledger.bytes + recipient.bytes
            + withUnsafeBytes(of: generation.bigEndian) { Array($0) } + (removal?.bytes ?? [])
    }
}

extension Core {
    /// All folder secrets that are here; the one that new files are sealed with is the last.
    func folderSecrets() throws(LedgerError) -> [FolderSecret] {
        if let known = folderSecretCache, known.version == rows.membersVersion {
            return known.secrets
        }
        let secrets = try readFolderSecrets()
        folderSecretCache = (rows.membersVersion, secrets)
        return secrets
    }

    /// The keys of one generation; whoever reads tries all of them.
    func folderKeys(generation: UInt64) throws(LedgerError) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for secret in try folderSecrets().reversed() where secret.generation == generation {
            keys.append(try secret.key())
        }
        return keys
    }

    private func readFolderSecrets() throws(LedgerError) -> [FolderSecret] {
        let first = FolderSecret(generation: 0, removal: nil, bytes: identity.key)
        var ranked = [(rank: 1, secret: first)]
        let makers = rows.members.secretMakers
        let chosen = rows.members.chosenMaker?.entry.id
        let sound = Set(makers.map(\.entry.id))
        for (secret, isSound) in try openedSecrets() + keptSecrets() {
            let isTrusted = isSound && secret.removal.map(sound.contains) ?? false
            ranked.append((!isTrusted ? 0 : secret.removal == chosen ? 2 : 1, secret))
        }
        ranked.sort {
            ($0.rank, $0.secret.generation, $1.secret.removal?.raw ?? .zero)
                < ($1.rank, $1.secret.generation, $0.secret.removal?.raw ?? .zero)
        }
        var seen: Set<FolderSecret> = []
        return ranked.reversed().map(\.secret).filter { seen.insert($0).inserted }.reversed()
    }

    /// What an invitation brought along.
    private func keptSecrets() throws(LedgerError) -> [(FolderSecret, isSound: Bool)] {
        try store.folderSecrets().map { ($0, true) }
    }

    /// What removals and admissions hold that is sealed to this replica, and whether its author
    /// could be trusted when it was written.
    private func openedSecrets() throws(LedgerError) -> [(FolderSecret, isSound: Bool)] {
        guard let writer else { return [] }
        let (own, key) = (writer.replica, writer.keys.sealing)
        var found: [(FolderSecret, isSound: Bool)] = []
        for entry in rows.members.entries where rows.members.graph.known.contains(entry.author) {
            let isSound = rows.members.isSound(entry)
            switch entry.content {
            case .removal(let removal):
                guard let sealed = removal.sealedKeys.first(where: { $0.replica == own }) else {
                    continue
                }
                let context = FolderSecret.context(
                    identity.id, own, generation: removal.generation, removal: nil)
                if let bytes = try SealedBox.open(sealed.bytes, with: key, context: context) {
                    found.append(
                        (
                            FolderSecret(
                                generation: removal.generation, removal: entry.id, bytes: bytes),
                            isSound
                        ))
                }
            case .admission(let admission) where admission.replica == own:
                for sealed in admission.folderKeys {
                    let context = FolderSecret.context(
                        identity.id, own, generation: sealed.generation, removal: sealed.removal)
                    if let bytes = try SealedBox.open(sealed.bytes, with: key, context: context) {
                        found.append(
                            (
                                FolderSecret(
                                    generation: sealed.generation, removal: sealed.removal,
                                    bytes: bytes), isSound
                            ))
                    }
                }
            default: continue
            }
        }
        return found
    }

    // MARK: Handing on

    /// A new secret, sealed to every member but one who is being removed, as far as their logs
    /// are here.
    func sealNewSecret(
        generation: UInt64, without removed: ReplicaID?
    ) throws(LedgerError) -> [MemberRemoval.SealedKey] {
        let secret = try environment.random(SealedBox.keyLength)
        let keys = try sealingKeys()
        var sealed: [MemberRemoval.SealedKey] = []
        for replica in rows.members.graph.members where replica != removed {
            guard let key = keys[replica] else { continue }
            let context = FolderSecret.context(
                identity.id, replica, generation: generation, removal: nil)
            sealed.append(
                .init(
                    replica: replica,
                    bytes: try SealedBox.seal(
                        secret, to: key, context: context,
                        ephemeral: try environment.random(32))))
        }
        return sealed
    }

    /// Gives members the folder secrets that they lack, and makes a new one where somebody who
    /// was removed has every one; recorded in the own log, inside a write transaction.
    ///
    /// Each of it is the task of one replica, so that not everybody does it.
    func shareFolderSecrets() throws(LedgerError) {
        let state = (rows.membersVersion, rows.chains.chains.count)
        guard rows.members.hasRemovals, let own = writer?.replica,
            rows.members.graph.isMember(own), sharedAt ?? (-1, -1) != state
        else { return }
        try loadFrontier()
        try renewSecret(own)
        let secrets = try folderSecrets()
        let keys = try sealingKeys()
        for replica in rows.members.graph.members where replica != own {
            guard let key = keys[replica] else { continue }
            var sealed: [MemberAdmission.FolderKey] = []
            for (entry, removal) in rows.members.secretMakers
            where rows.members.sharer(of: entry, with: replica) == own
                && !rows.members.holders(of: entry, removal).contains(replica)
            {
                guard let secret = secrets.last(where: { $0.removal == entry.id }) else { continue }
                let context = FolderSecret.context(
                    identity.id, replica, generation: secret.generation, removal: entry.id)
                sealed.append(
                    .init(
                        generation: secret.generation, removal: entry.id,
                        bytes: try SealedBox.seal(
                            secret.bytes, to: key, context: context,
                            ephemeral: try environment.random(32))))
            }
            guard !sealed.isEmpty else { continue }
            _ = try record(
                MemberAdmission(
                    replica: replica, folderKeys: Array(sealed.suffix(MemberAdmission.keysMax))))
        }
        try settleMembers()
        sharedAt = (rows.membersVersion, rows.chains.chains.count)
    }

    /// Removals that were made apart from each other each tell their secret to whom the other
    /// removes; then one of them is said again, with a secret for those who remain.
    private func renewSecret(_ own: ReplicaID) throws(LedgerError) {
        let members = rows.members
        guard members.chosenMaker == nil, members.renewer == own,
            let standing = members.graph.removals.values.joined().min(),
            let entry = members.entries.first(where: { $0.id == standing }),
            case .removal(let removal) = entry.content
        else { return }
        let generation = members.newestGeneration + 1
        _ = try record(
            MemberRemoval(
                replica: removal.replica, points: removal.points, generation: generation,
                sealedKeys: try sealNewSecret(generation: generation, without: nil)))
        try settleMembers()
    }

    /// The newest sealing key of each member whose log is here.
    private func sealingKeys() throws(LedgerError) -> [ReplicaID: Bytes32] {
        var newest: [ReplicaID: (timestamp: Timestamp, key: Bytes32)] = [:]
        for (index, chain) in rows.chains.chains.enumerated()
        where rows.members.graph.isMember(chain.author) {
            guard let row = rows.chains.row(index, 0), let event = try rows.event(row),
                case .opening(let opening) = event.content
            else { continue }
            let known = newest[chain.author]
            if known.map({ $0.timestamp < event.header.timestamp }) ?? true {
                newest[chain.author] = (event.header.timestamp, opening.sealingKey)
            }
        }
        return newest.mapValues(\.key)
    }
}
