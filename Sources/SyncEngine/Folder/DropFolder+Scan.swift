internal import Ledger

extension DropFolder {
    /// Lists the folder, or the own directory alone, and reads the beginning of each file that is
    /// not known.
    func scan(_ pass: inout FolderPass) throws(SyncError) {
        var listing = Listing(left: limits.entriesMax, old: pass.memory.files)
        if pass.scope == .ownDirectory, let own = ownKey, let entries = try list(own, &pass) {
            pass.memory.files = pass.memory.files.filter { !isOwn($0.key) }
            listing.isOwn = true
            for entry in entries where entry.kind == .file {
                look(at: entry, "\(own)/\(entry.name)", listing, &pass)
            }
            return finish(&pass)
        }
        guard let entries = try list("", &pass) else { return }
        try checkPresence(entries, pass)
        pass.memory.files = [:]
        pass.memory.directories = []
        var directories: [(key: String, depth: Int)] = []
        walk(entries, of: ("", 0), &directories, &listing, &pass)
        while let directory = directories.popLast() {
            guard let entries = try list(directory.key, &pass) else { continue }
            // In whatever case the system shows it.
            listing.isOwn = directory.key.lowercased() == ownKey
            walk(entries, of: directory, &directories, &listing, &pass)
        }
        finish(&pass)
    }

    private struct Listing {
        var left: Int
        let old: [String: FolderMemory.File]
        var isOwn = false
    }

    /// An empty directory where a medium was mounted is no folder to fill.
    private func checkPresence(_ entries: [FolderEntry], _ pass: FolderPass) throws(SyncError) {
        guard pass.memory.hasSeenLedger else { return }
        let name = FolderName.ledgerDirectory(log.id)
        guard entries.contains(where: { $0.name.lowercased() == name }) else {
            throw SyncError(
                .notFound,
                "This ledger's directory is no longer in the folder. If it was removed on purpose, "
                    + "sync with the folder once by hand; else bring the medium back.")
        }
    }

    private func walk(
        _ entries: [FolderEntry], of directory: (key: String, depth: Int),
        _ directories: inout [(key: String, depth: Int)], _ listing: inout Listing,
        _ pass: inout FolderPass
    ) {
        for entry in entries {
            guard listing.left > 0 else {
                pass.report.add(
                    entry.name,
                    SyncError(
                        .limit,
                        "The folder holds over \(limits.entriesMax) entries; the rest "
                            + "was not looked at."))
                directories = []
                return
            }
            listing.left -= 1
            let key = directory.key.isEmpty ? entry.name : "\(directory.key)/\(entry.name)"
            switch entry.kind {
            case .directory where directory.depth < limits.depthMax:
                directories.append((key, directory.depth + 1))
                pass.memory.directories.append(key)
            case .file: look(at: entry, key, listing, &pass)
            case .directory:
                pass.report.add(
                    entry.name, SyncError(.limit, "It lies too deep in the folder; move it up."))
            case .other:
                pass.report.add(
                    entry.name, SyncError(.notASegment, "It is no file; it is left alone."))
            }
        }
    }

    private func finish(_ pass: inout FolderPass) {
        pass.files.sort { left, right in
            let (one, two) = (left.prologue, right.prologue)
            return (one.log, one.first, one.end, left.key) < (
                two.log, two.first, two.end, right.key
            )
        }
        let files = pass.memory.files
        pass.memory.temporaries = pass.memory.temporaries.filter { files[$0.key] != nil }
        let directory = FolderName.ledgerDirectory(log.id)
        if pass.memory.directories.contains(where: { $0.lowercased() == directory }) {
            pass.memory.hasSeenLedger = true
        }
    }

    private func list(
        _ directory: String, _ pass: inout FolderPass
    ) throws(SyncError) -> [FolderEntry]? {
        do throws(FileFailure) {
            return try fileSystem.entries(of: place(directory)).sorted { $0.name < $1.name }
        } catch {
            let failure = SyncError(reading: error)
            if pass.scope == .ownDirectory, failure.code == .notFound { return nil }
            guard directory.isEmpty else {
                pass.report.add(directory.lastComponent, failure)
                return nil
            }
            throw SyncError(
                failure.code, "The folder cannot be read; check the path.", cause: failure.cause)
        }
    }

    /// Judges a file by what is known of it, else by how it begins and how long it is.
    private func look(
        at entry: FolderEntry, _ key: String, _ listing: Listing, _ pass: inout FolderPass
    ) {
        func found(_ prologue: SegmentPrologue) -> FoundSegment {
            FoundSegment(
                key: key, path: place(key), name: entry.name, prologue: prologue,
                length: prologue.fileLength,
                isOwn: listing.isOwn && !FolderName.isTemporary(entry.name))
        }
        if listing.isOwn, let prologue = FolderName.placeholder(entry.name, of: log.id) {
            pass.placeholders.append(found(prologue))
        }
        if FolderName.isTemporary(entry.name), pass.memory.temporaries[key] == nil {
            pass.memory.temporaries[key] = pass.time
        }
        if let known = listing.old[key], known.isSame(as: entry) {
            pass.memory.files[key] = known
            if let refusal = known.refusal, !isDue(known, refusal, pass) {
                pass.report.add(entry.name, refusal, log: known.prologue?.log)
                return
            }
            // What a file that was refused for its content begins with may have changed as well.
            if let prologue = known.prologue, known.refusal?.mayPass ?? true {
                return pass.files.append(found(prologue))
            }
        } else {
            pass.memory.files[key] = FolderMemory.File(
                length: entry.length, identity: entry.identity)
        }
        do throws(SyncError) {
            guard let prologue = try prologue(of: entry, key, &pass.foreign) else {
                let letter = try letter(
                    key, entry.name,
                    isOwn: listing.isOwn && !FolderName.isTemporary(entry.name))
                return pass.letters.append(letter)
            }
            pass.memory.files[key]?.prologue = prologue
            pass.files.append(found(prologue))
        } catch {
            pass.memory.refuse(key, error, at: pass.time, ledgerState: pass.ledger.state)
            pass.report.add(entry.name, error)
        }
    }

    private func isDue(
        _ file: FolderMemory.File, _ refusal: SyncError, _ pass: FolderPass
    ) -> Bool {
        if refusal.mayPass, file.ledgerState != pass.ledger.state { return true }
        return refusal.code != .placeholder && pass.time >= file.retryAt
    }

    /// How a segment begins; nil for a letter.
    private func prologue(
        of entry: FolderEntry, _ key: String, _ foreign: inout [LedgerID: Int]
    ) throws(SyncError) -> SegmentPrologue? {
        if FolderName.isPlaceholder(entry.name) {
            throw SyncError(
                .placeholder, "The file is not on this machine yet; let the provider fetch it.")
        }
        let content = try read(place(key), upTo: SegmentPrologue.length)
        if FolderLetter.isOne(content.bytes) { return nil }
        let prologue = try SegmentPrologue(content.bytes)
        guard prologue.ledger == log.id else {
            foreign[prologue.ledger, default: 0] += 1
            throw SyncError(.foreignLedger, "The file belongs to another ledger.")
        }
        guard content.length >= prologue.fileLength else {
            throw SyncError(.incomplete, "The file is cut off; it is taken once it is whole.")
        }
        guard content.length == prologue.fileLength else {
            throw SyncError(.malformed, "The file goes on after its end; it is left as it is.")
        }
        return prologue
    }

    /// Whether a path below the folder lies in this replica's own directory.
    private func isOwn(_ key: String) -> Bool {
        guard let own = ownKey, key.utf8.count > own.utf8.count else { return false }
        return key.utf8.starts(with: own.utf8)
            || key.lowercased().utf8.starts(with: own.utf8)
    }

    /// Where a path below the folder lies.
    func place(_ key: String) -> String { key.isEmpty ? path : "\(path)/\(key)" }

    func read(_ path: String, upTo count: Int) throws(SyncError) -> FileContent {
        do throws(FileFailure) { return try fileSystem.read(path, upTo: count) } catch {
            throw SyncError(reading: error)
        }
    }
}
