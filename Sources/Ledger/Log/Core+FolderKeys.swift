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
        try rankedSecrets().map(\.secret)
    }

    /// Those that somebody gave who could be trusted then: they alone are handed on, or else
    /// somebody who was removed could have a member vouch for a secret of his.
    private func trustedSecrets() throws(LedgerError) -> [FolderSecret] {
        try rankedSecrets().filter { $0.rank > 0 }.map(\.secret)
    }

    private func rankedSecrets() throws(LedgerError) -> [(rank: Int, secret: FolderSecret)] {
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

    private func readFolderSecrets() throws(LedgerError) -> [(rank: Int, secret: FolderSecret)] {
        let first = FolderSecret(generation: 0, removal: nil, bytes: identity.key)
        var ranked = [(rank: 1, secret: first)]
        let makers = rows.members.secretMakers
        let chosen = rows.members.chosenMaker?.entry.id
        let sound = Set(makers.map(\.entry.id))
        for (secret, isSound) in try openedSecrets() {
            let isTrusted = isSound && secret.removal.map(sound.contains) ?? false
            ranked.append((!isTrusted ? 0 : secret.removal == chosen ? 2 : 1, secret))
        }
        ranked.sort {
            ($0.rank, $0.secret.generation, $1.secret.removal?.raw ?? .zero)
                < ($1.rank, $1.secret.generation, $0.secret.removal?.raw ?? .zero)
        }
        var seen: Set<FolderSecret> = []
        return ranked.reversed().filter { seen.insert($0.secret).inserted }.reversed()
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
                    let name = FolderKeyShare.Name(
                        recipient: own, generation: sealed.generation, removal: sealed.removal)
                    if let secret = try open(FolderKeyShare(name, sealed: sealed.bytes)) {
                        found.append((secret, isSound))
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
        let secrets = try trustedSecrets()
        let keys = try sealingKeys()
        for replica in rows.members.graph.members where replica != own {
            guard let key = keys[replica] else { continue }
            var sealed: [MemberAdmission.FolderKey] = []
            for (entry, removal) in rows.members.secretMakers
            where rows.members.sharer(of: entry, with: replica) == own
                && !rows.members.holders(of: entry, removal).contains(replica)
            {
                guard let secret = secrets.last(where: { $0.removal == entry.id }) else { continue }
                sealed.append(try seal(secret, of: entry.id, for: replica, key))
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

    /// What this replica's key files hold: every secret whose removal counts, for every other
    /// member whose log is here; the newest ones where they are too many.
    func folderShares() throws(LedgerError) -> [(
        name: FolderKeyShare.Name, secret: FolderSecret, key: Bytes32
    )] {
        guard rows.members.hasRemovals, let own = writer?.replica,
            rows.members.graph.isMember(own)
        else { return [] }
        let keys = try sealingKeys()
        var shares: [(name: FolderKeyShare.Name, secret: FolderSecret, key: Bytes32)] = []
        for secret in try trustedSecrets().reversed() {
            guard let removal = secret.removal else { continue }
            for (replica, key) in keys.sorted(by: { $0.key < $1.key }) where replica != own {
                let name = FolderKeyShare.Name(
                    recipient: replica, generation: secret.generation, removal: removal)
                shares.append((name, secret, key))
            }
        }
        return Array(shares.prefix(Self.sharesMax))
    }

    private static let sharesMax = 4096

    func seal(
        _ secret: FolderSecret, as name: FolderKeyShare.Name, to key: Bytes32
    ) throws(LedgerError) -> FolderKeyShare {
        let context = FolderSecret.context(
            identity.id, name.recipient, generation: name.generation, removal: name.removal)
        return FolderKeyShare(
            name,
            sealed: try SealedBox.seal(
                secret.bytes, to: key, context: context, ephemeral: try environment.random(32)))
    }

    /// A removal's secret as an admission carries it.
    private func seal(
        _ secret: FolderSecret, of removal: EventID, for replica: ReplicaID, _ key: Bytes32
    ) throws(LedgerError) -> MemberAdmission.FolderKey {
        let name = FolderKeyShare.Name(
            recipient: replica, generation: secret.generation, removal: removal)
        return MemberAdmission.FolderKey(
            generation: secret.generation, removal: removal,
            bytes: try seal(secret, as: name, to: key).sealed)
    }

    /// A secret that is sealed to this replica; nil for any other.
    func open(_ share: FolderKeyShare) throws(LedgerError) -> FolderSecret? {
        guard let writer, share.name.recipient == writer.replica else { return nil }
        let context = FolderSecret.context(
            identity.id, writer.replica, generation: share.name.generation,
            removal: share.name.removal)
        return try SealedBox.open(share.sealed, with: writer.keys.sealing, context: context).map {
            FolderSecret(
                generation: share.name.generation, removal: share.name.removal, bytes: $0)
        }
    }

    /// The secrets in use, sealed to a replica that is being admitted, so that it need not wait
    /// until its own log has come.
    func currentSecrets(
        for replica: ReplicaID, _ key: Bytes32
    ) throws(LedgerError) -> [MemberAdmission.FolderKey] {
        var sealed: [MemberAdmission.FolderKey] = []
        for secret in try trustedSecrets() {
            guard let removal = secret.removal else { continue }
            sealed.append(try seal(secret, of: removal, for: replica, key))
        }
        return Array(sealed.suffix(MemberAdmission.keysMax))
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
