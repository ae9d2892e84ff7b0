internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Keeps from one process to the next which files of a folder were taken.
///
/// A file of its own and not a table: it is worth nothing but time, so it may be lost or deleted,
/// and need not be flushed. It says what the ledger held when it was written; where the ledger does
/// not hold that any more, since an older copy was put back, all files are read again.
package struct FolderMemoryFile: Sendable {
    private static let magic: [UInt8] = Array("CLSEEN\u{2}\n".utf8)
    private static let lengthMax = 256 << 20
    private let path: String
    private let fileSystem: any FolderFileSystem

    package init(path: String, fileSystem: any FolderFileSystem = PosixFileSystem()) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// The memory of one folder in a ledger's state directory.
    init?(beside directory: String, of folder: String) {
        var place = folder
        if let resolved = realpath(folder, nil) {
            place = String(cString: resolved)
            free(resolved)
        }
        guard let hash = try? Crypto.sha256(Array(place.utf8)) else { return nil }
        self.init(
            path: "\(directory)/folder-\(Base32.encode(hash.bytes.prefix(10))).seen",
            fileSystem: PosixFileSystem(mode: 0o600))
    }

    /// What is remembered; nothing when that is not to be had or not true of this ledger.
    func load(of log: any ReplicaLog) -> FolderMemory {
        guard let content = try? fileSystem.read(path, upTo: Self.lengthMax) else {
            return FolderMemory()
        }
        let body = Array(content.bytes.dropLast(32))
        guard content.bytes.count > 32, content.bytes.count == content.length,
            let hash = try? Crypto.sha256(body), hash.bytes == Array(content.bytes.suffix(32))
        else {
            var memory = FolderMemory()
            memory.wasDamaged = true
            return memory
        }
        return (try? Self.decode(body, log)) ?? FolderMemory()
    }

    /// Writes down what is known, if it differs from what was loaded or saved before.
    ///
    /// What fails is tried again the next time, and costs no more than reading files again.
    func save(_ memory: inout FolderMemory, of log: any ReplicaLog) {
        let fingerprint = memory.fingerprint
        guard fingerprint != memory.savedFingerprint,
            var bytes = try? Self.encode(memory, log), let hash = try? Crypto.sha256(bytes),
            let nonce = try? Crypto.random(8)
        else { return }
        bytes += hash.bytes
        let temporary = "\(path)-\(Base32.encode(nonce))"
        do throws(FileFailure) {
            let descriptor = try fileSystem.create(temporary)
            var rest = bytes[...]
            do throws(FileFailure) {
                while !rest.isEmpty {
                    let count = try fileSystem.write(rest, to: descriptor)
                    guard count > 0 else { throw FileFailure.writesNothing }
                    rest = rest.dropFirst(count)
                }
            } catch {
                try? fileSystem.close(descriptor)
                throw error
            }
            try fileSystem.close(descriptor)
            try fileSystem.rename(temporary, to: path)
            memory.savedFingerprint = fingerprint
        } catch { try? fileSystem.remove(temporary) }
    }

    private static func encode(
        _ memory: FolderMemory, _ log: any ReplicaLog
    ) throws(SyncError) -> [UInt8] {
        let tips = try fromLedger { () throws(LedgerError) in try log.tips() }
        let files = memory.files.filter { $0.value.isHere && $0.value.prologue != nil }
        var writer = ByteWriter(reserving: 256 * (files.count + 4))
        writer.raw(magic)
        writer.half(log.id.raw)
        writer.byte(memory.hasSeenLedger ? 1 : 0)
        writer.text(memory.auditedThrough)
        writer.fixed(memory.erasuresDone)
        writer.number(UInt64(tips.count))
        for tip in tips {
            writer.half(tip.log.raw)
            writer.number(tip.size)
            writer.hash(tip.root)
        }
        writer.number(UInt64(files.count))
        for (key, file) in files {
            writer.text(key)
            writer.number(UInt64(file.length))
            writer.fixed(file.identity)
            writer.byte(file.isWhole ? 1 : 0)
            writer.fixed(file.supersededSince ?? .min)
            writer.raw(file.prologue?.encoded ?? [])
        }
        return writer.bytes
    }

    private static func decode(
        _ bytes: [UInt8], _ log: any ReplicaLog
    ) throws(SyncError) -> FolderMemory? {
        try ByteReader.decode(bytes) { (reader) throws(SyncError) in
            guard Array(try reader.take(magic.count)) == magic, try reader.half() == log.id.raw
            else { throw reader.malformed("another format or ledger") }
            var memory = FolderMemory()
            memory.hasSeenLedger = try reader.byte() == 1
            memory.auditedThrough = try reader.text(atMost: 4096)
            memory.erasuresDone = try reader.fixed(Int64.self)
            for _ in 0..<(try reader.number(atMost: WireLimits.tipsMax, "tips")) {
                let tip = Tip(
                    log: LogID(raw: try reader.half()), size: try reader.number(),
                    root: try reader.hash())
                let isHeld = try fromLedger { () throws(LedgerError) in try log.holds(tip) }
                guard isHeld else { throw reader.malformed("more than the ledger holds") }
            }
            for _ in 0..<(try reader.number(atMost: 1 << 24, "files")) {
                let key = try reader.text(atMost: 8192)
                var file = FolderMemory.File(
                    length: try reader.number(atMost: .max, "a length"),
                    identity: try reader.fixed(UInt64.self))
                file.isHere = true
                file.isWhole = try reader.byte() == 1
                let since = try reader.fixed(Int64.self)
                file.supersededSince = since == .min ? nil : since
                file.prologue = try SegmentPrologue(
                    Array(try reader.take(SegmentPrologue.length)))
                memory.files[key] = file
            }
            memory.savedFingerprint = memory.fingerprint
            return memory
        }
    }
}

extension FolderMemory {
    /// Differs when something differs that is worth keeping; within this process.
    var fingerprint: Int {
        var sum = erasuresDone.hashValue ^ (hasSeenLedger ? 1 : 0)
        for (key, file) in files where file.isHere {
            var hasher = Hasher()
            hasher.combine(key)
            hasher.combine(file.identity)
            hasher.combine(file.isWhole)
            hasher.combine(file.supersededSince)
            // The order of a dictionary means nothing.
            sum ^= hasher.finalize()
        }
        return sum
    }
}
