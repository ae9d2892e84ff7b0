import Synchronization

@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A directory that goes away with its owner, and the few things tests do to files in it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        var template = Array("/tmp/consent-sync-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw FileFailure("mkdtemp", errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { Self.removeAll(path) }

    static func removeAll(_ path: String) {
        for entry in (try? PosixFileSystem().entries(of: path)) ?? [] {
            let child = "\(path)/\(entry.name)"
            if entry.kind == .directory { removeAll(child) } else { unlink(child) }
        }
        rmdir(path)
    }

    /// Every file below a directory, sorted by path.
    func files(under directory: String? = nil) throws -> [String] {
        let directory = directory ?? path
        return try PosixFileSystem().entries(of: directory).flatMap { entry in
            let child = "\(directory)/\(entry.name)"
            return entry.kind == .directory ? try files(under: child) : [child]
        }.sorted()
    }

    func read(_ file: String) throws -> [UInt8] {
        try PosixFileSystem().read(file, upTo: 64 << 20).bytes
    }

    func write(_ bytes: some Collection<UInt8>, to file: String) throws {
        unlink(file)
        let system = PosixFileSystem()
        let descriptor = try system.create(file)
        var rest = Array(bytes)[...]
        while !rest.isEmpty { rest = rest.dropFirst(try system.write(rest, to: descriptor)) }
        try system.close(descriptor)
    }

    func makeDirectory(_ name: String) throws -> String {
        try PosixFileSystem().makeDirectory("\(path)/\(name)")
        return "\(path)/\(name)"
    }

    func rename(_ old: String, to new: String) throws { try PosixFileSystem().rename(old, to: new) }
    func remove(_ file: String) throws { try PosixFileSystem().remove(file) }
    func makePipe(_ name: String) { mkfifo("\(path)/\(name)", 0o600) }
    func makeLink(_ name: String, to target: String) { symlink(target, "\(path)/\(name)") }
}

/// The real file system, until a test says otherwise.
final class FaultyFileSystem: FolderFileSystem, Sendable {
    struct Faults: Sendable {
        /// The call that fails, at which of its uses, with which errno.
        var call = ""
        var uses = 1
        var code: Int32 = 0
        /// How many bytes one write takes at most.
        var writeMax = Int.max
        var listsUpperCase = false
        /// What the medium makes of a file that is read back.
        var damagesReads = false
        /// Every call that changes something, in order.
        var trace: [String] = []
    }

    private let base = PosixFileSystem()
    let faults: Mutex<Faults>

    init(_ change: (inout Faults) -> Void = { _ in }) {
        var faults = Faults()
        change(&faults)
        self.faults = Mutex(faults)
    }

    private func meet(_ call: String) throws(FileFailure) {
        let code = faults.withLock { faults -> Int32 in
            faults.trace.append(call)
            guard faults.call == call else { return 0 }
            faults.uses -= 1
            return faults.uses <= 0 ? faults.code : 0
        }
        if code != 0 { throw FileFailure(call, code) }
    }

    func entries(of directory: String) throws(FileFailure) -> [FolderEntry] {
        try meet("list")
        let entries = try base.entries(of: resolve(directory))
        guard faults.withLock({ $0.listsUpperCase }) else { return entries }
        return entries.map {
            FolderEntry(
                name: $0.name.uppercased(), kind: $0.kind, length: $0.length, identity: $0.identity)
        }
    }

    /// As a file system that ignores case would find it.
    private func resolve(_ path: String) -> String {
        guard faults.withLock({ $0.listsUpperCase }) else { return path }
        return path.split(separator: "/").reduce("") { found, part in
            let names = (try? base.entries(of: found.isEmpty ? "/" : found)) ?? []
            let match = names.first { $0.name.lowercased() == part.lowercased() }
            return found + "/" + (match?.name ?? String(part))
        }
    }

    func read(_ file: String, upTo count: Int) throws(FileFailure) -> FileContent {
        try meet("read")
        var found = try base.read(resolve(file), upTo: count)
        if faults.withLock({ $0.damagesReads }), found.bytes.count > 200 { found.bytes[199] ^= 1 }
        return found
    }
    func makeDirectory(_ path: String) throws(FileFailure) {
        try meet("mkdir")
        try base.makeDirectory(resolve(path))
    }
    func create(_ file: String) throws(FileFailure) -> Int32 {
        try meet("create")
        return try base.create(resolve(file))
    }
    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(FileFailure) -> Int {
        try meet("write")
        let most = faults.withLock { $0.writeMax }
        return most == 0 ? 0 : try base.write(bytes.prefix(most), to: descriptor)
    }
    func synchronize(_ descriptor: Int32) throws(FileFailure) {
        try meet("fsync")
        try base.synchronize(descriptor)
    }
    func close(_ descriptor: Int32) throws(FileFailure) {
        try base.close(descriptor)
        try meet("close")
    }
    func rename(_ old: String, to new: String) throws(FileFailure) {
        try meet("rename")
        try base.rename(resolve(old), to: resolve(new))
    }
    func remove(_ file: String) throws(FileFailure) {
        try meet("remove")
        try base.remove(resolve(file))
    }
    func synchronizeDirectory(_ path: String) throws(FileFailure) {
        try meet("fsync directory")
        try base.synchronizeDirectory(resolve(path))
    }
}
