internal import Ledger

extension DropFolder {
    /// Keys of one generation that are tried, whoever put them there.
    private static let keysMax = 64

    // MARK: Reading

    /// The letter in a file.
    func letter(
        _ key: String, _ name: String, isOwn: Bool
    ) throws(SyncError) -> FoundLetter {
        let content = try read(place(key), upTo: FolderLetter.lengthMax + 1)
        guard content.bytes.count <= FolderLetter.lengthMax else {
            throw SyncError(.limit, "A letter of over 1 MiB.")
        }
        return FoundLetter(
            key: key, name: name, letter: try FolderLetter(content.bytes, of: log.id), isOwn: isOwn)
    }

    /// The keys of a generation: those that the ledger knows, and those that others left here.
    func keys(of generation: UInt64, _ pass: FolderPass) throws(SyncError) -> [[UInt8]] {
        try fromLedger { () throws(LedgerError) in
            var keys = try log.folderKeys(generation: generation)
            var tried = 0
            for found in pass.letters {
                guard case .keys(let shares) = found.letter else { continue }
                for share in shares
                where share.name.generation == generation && share.name.recipient == log.replica {
                    tried += 1
                    guard tried <= Self.keysMax else { return keys }
                    if let key = try log.openFolderShare(share), !keys.contains(key) {
                        keys.append(key)
                    }
                }
            }
            return keys
        }
    }

    // MARK: Keys for others

    /// Leaves the folder's secrets for every member, each sealed to it: what a segment says of a
    /// key helps nobody who lacks the key to that segment.
    func publishKeys(_ pass: inout FolderPass) throws(SyncError) {
        guard publishing != .nothing, log.replica != nil else { return }
        let wanted = try fromLedger { () throws(LedgerError) in try log.folderShareNames() }
        guard !wanted.isEmpty else { return }
        let own = pass.letters.filter { found in
            if case .keys = found.letter { found.isOwn } else { false }
        }
        let isThere = own.contains { found in
            guard case .keys(let shares) = found.letter else { return false }
            return wanted.isSubset(of: Set(shares.map(\.name)))
        }
        guard !isThere else { return }
        let shares = try fromLedger { () throws(LedgerError) in try log.sealFolderShares() }
        try write(.keys(shares), &pass)
        for old in own { try remove(old, &pass) }
    }

    // MARK: The inviter

    /// Admits who shows a token of this replica's, and tells the others why not.
    func answerRequests(_ pass: inout FolderPass) throws(SyncError) {
        guard publishing != .nothing, let own = log.replica else { return }
        var asked: Set<Bytes32> = []
        for found in pass.letters {
            guard case .request(let request) = found.letter else { continue }
            guard request.inviter == own else {
                if request.replica != own { pass.report.requestsToOthers += 1 }
                continue
            }
            asked.insert(request.digest)
            do throws(SyncError) { try answer(request, &pass) } catch {
                pass.setAside(found, error)
            }
        }
        for found in pass.letters {
            guard case .answer(let answer) = found.letter, found.isOwn, answer.inviter == own,
                !asked.contains(answer.digest)
            else { continue }
            try remove(found, &pass)
        }
    }

    private func answer(
        _ request: SealedJoinRequest, _ pass: inout FolderPass
    ) throws(SyncError) {
        let isAnswered = pass.letters.contains { found in
            guard case .answer(let answer) = found.letter else { return false }
            return found.isOwn && answer.replica == request.replica
                && answer.digest == request.digest
        }
        let isMember = try fromLedger { () throws(LedgerError) in
            try log.isMember(request.replica)
        }
        // A member takes its request away itself.
        guard !isAnswered, isMember != true else { return }
        let opened = try fromLedger { () throws(LedgerError) in try log.open(request) }
        guard let opened else {
            throw SyncError(.malformed, "A request to join that was changed, or sealed to another.")
        }
        let outcome = try fromLedger { () throws(LedgerError) in try log.redeem(opened) }
        guard let outcome else {
            throw SyncError(
                .refused, "A request to join with a token that this replica did not make.")
        }
        guard outcome != .admitted else {
            pass.report.admitted.append(request.replica)
            return
        }
        pass.report.requestsRefused += 1
        let answer = try fromLedger { () throws(LedgerError) in
            try log.seal(outcome, to: opened)
        }
        if let answer { try write(.answer(answer), &pass) }
    }

    // MARK: Who joins

    /// Asks the inviter to be admitted, hears its answer, and takes the request away at the end.
    func ask(_ pass: inout FolderPass) throws(SyncError) {
        guard publishing != .nothing, let own = log.replica else { return }
        let mine = pass.letters.filter { found in
            guard case .request(let request) = found.letter else { return false }
            return found.isOwn && request.replica == own
        }
        let digest = try fromLedger { () throws(LedgerError) in try log.pendingDigest() }
        guard let digest else {
            for found in mine { try remove(found, &pass) }
            return
        }
        for found in pass.letters {
            guard case .answer(let answer) = found.letter, answer.digest == digest else { continue }
            let outcome = try fromLedger { () throws(LedgerError) in try log.open(answer) }
            guard let outcome, outcome != .admitted else { continue }
            do throws(SyncError) { try JoinCall.check(outcome) } catch {
                pass.report.joinFailure = error
            }
            try fromLedger { () throws(LedgerError) in try log.forgetInvitation() }
            for found in mine { try remove(found, &pass) }
            return
        }
        pass.report.isAsking = true
        var isThere = false
        for found in mine {
            guard case .request(let request) = found.letter else { continue }
            if request.digest == digest { isThere = true } else { try remove(found, &pass) }
        }
        guard !isThere else { return }
        let request = try fromLedger { () throws(LedgerError) in try log.sealJoinRequest() }
        if let request { try write(.request(request), &pass) }
    }

    // MARK: Writing

    private func write(_ letter: FolderLetter, _ pass: inout FolderPass) throws(SyncError) {
        guard let writer = SegmentWriter(self) else { return }
        let file = try letter.encoded(for: log.id)
        let name = FolderName.letter(letter.prefix, contentHash: file.suffix(32).prefix(16))
        let key = try writer.place(file, name, &pass).key
        pass.letters.append(FoundLetter(key: key, name: name, letter: letter, isOwn: true))
    }

    /// Removes an own letter that bears the name this replica gave it; copies stay.
    private func remove(_ found: FoundLetter, _ pass: inout FolderPass) throws(SyncError) {
        guard found.isOwn,
            FolderName.isLetter(found.name.lowercased(), prefix: found.letter.prefix)
        else { return }
        do throws(FileFailure) { try fileSystem.remove(place(found.key)) } catch {
            throw SyncError(writing: error)
        }
        pass.memory.files[found.key] = nil
        pass.letters.removeAll { $0.key == found.key }
    }
}
