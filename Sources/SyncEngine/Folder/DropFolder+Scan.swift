internal import Ledger

extension DropFolder {
    /// Lists the whole folder and reads the beginning of each file.
    ///
    /// - Returns: what begins like a segment of this ledger, by log and range.
    func scan(_ report: inout FolderReport) throws(SyncError) -> [FoundSegment] {
        var found: [FoundSegment] = []
        var directories = [(path: path, depth: 0)]
        var entriesLeft = limits.entriesMax
        while let directory = directories.popLast() {
            guard let entries = try list(directory.path, isRoot: directory.depth == 0, &report)
            else {
                continue
            }
            for entry in entries {
                guard entriesLeft > 0 else {
                    setAside(
                        entry.name,
                        SyncError(
                            .limit,
                            "The folder holds over \(limits.entriesMax) entries; the rest "
                                + "was not looked at."), &report)
                    return found.sorted(by: Self.isBefore)
                }
                entriesLeft -= 1
                let path = "\(directory.path)/\(entry.name)"
                switch entry.kind {
                case .directory where directory.depth < limits.depthMax:
                    directories.append((path, directory.depth + 1))
                case .file:
                    if let segment = inspect(path, entry.name, in: directory.path, &report) {
                        found.append(segment)
                    }
                case .directory:
                    setAside(
                        entry.name,
                        SyncError(.limit, "It lies too deep in the folder; move it up."), &report)
                case .other:
                    setAside(
                        entry.name, SyncError(.notASegment, "It is no file; it is left alone."),
                        &report)
                }
            }
        }
        return found.sorted(by: Self.isBefore)
    }

    private static func isBefore(_ left: FoundSegment, _ right: FoundSegment) -> Bool {
        let (one, two) = (left.prologue, right.prologue)
        return (one.log, one.first, one.end, left.path) < (two.log, two.first, two.end, right.path)
    }

    private func list(
        _ directory: String, isRoot: Bool, _ report: inout FolderReport
    ) throws(SyncError) -> [FolderEntry]? {
        do throws(FileFailure) {
            return try fileSystem.entries(of: directory).sorted { $0.name < $1.name }
        } catch {
            let failure = SyncError(reading: error)
            guard isRoot else {
                setAside(directory.lastComponent, failure, &report)
                return nil
            }
            throw SyncError(
                failure.code, "The folder cannot be read; check the path.", cause: failure.cause)
        }
    }

    /// Judges a file by how it begins and how long it is.
    private func inspect(
        _ path: String, _ name: String, in directory: String, _ report: inout FolderReport
    ) -> FoundSegment? {
        do throws(SyncError) {
            if FolderName.isPlaceholder(name) {
                throw SyncError(
                    .placeholder, "The file is not on this machine yet; let the provider fetch it.")
            }
            let (bytes, length) = try read(path, upTo: SegmentPrologue.length)
            let prologue = try SegmentPrologue(bytes)
            guard prologue.ledger == log.id else {
                throw SyncError(.foreignLedger, "The file belongs to another ledger.")
            }
            guard length >= prologue.fileLength else {
                throw SyncError(.incomplete, "The file is cut off; it is taken once it is whole.")
            }
            guard length == prologue.fileLength else {
                throw SyncError(.malformed, "The file goes on after its end; it is left as it is.")
            }
            let isOwn =
                directory.lowercased() == ownDirectory?.lowercased()
                && !name.hasPrefix(FolderName.temporaryPrefix)
            return FoundSegment(
                path: path, name: name, prologue: prologue, length: length, isOwn: isOwn)
        } catch {
            setAside(name, error, &report)
            return nil
        }
    }

    func read(
        _ path: String, upTo count: Int
    ) throws(SyncError) -> (bytes: [UInt8], length: Int) {
        do throws(FileFailure) { return try fileSystem.read(path, upTo: count) } catch {
            throw SyncError(reading: error)
        }
    }

    func setAside(
        _ name: String, _ reason: SyncError, log: LogID? = nil, _ report: inout FolderReport
    ) {
        report.aside.add(SetAside(log: log, file: FolderName.printable(name), reason: reason))
    }
}

extension String {
    var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
