public import Ledger
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What people do to a state directory with `cp` and `mv`.
public enum StateFiles {
    /// What stands in a directory, but for what SQLite makes anew.
    public static func names(in directory: String) -> [String] {
        guard let handle = opendir(directory) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix("."), !name.hasSuffix("-shm") { names.append(name) }
        }
        return names.sorted()
    }

    /// `cp -r`: new files with the same content.
    public static func copy(
        _ source: String, to target: String, without left: Set<String> = []
    ) {
        mkdir(target, 0o700)
        for name in names(in: source) where !left.contains(name) {
            write(read("\(source)/\(name)"), to: "\(target)/\(name)")
        }
    }

    /// A file's bytes.
    public static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
        }
    }

    /// `cp` over a file: the same inode with other content.
    public static func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    /// `mv`.
    public static func move(_ source: String, to target: String) { rename(source, target) }

    /// `rm`.
    public static func remove(_ path: String) { unlink(path) }
}

/// The files of a state directory as they were, to be put back as a whole: a virtual machine that
/// is rolled back.
public struct Snapshot: Sendable {
    private let directory: String
    private let files: [String: [UInt8]]

    /// Remembers a directory whose ledger is closed.
    public init(of directory: String) {
        self.directory = directory
        files = StateFiles.names(in: directory).reduce(into: [:]) {
            $0[$1] = StateFiles.read("\(directory)/\($1)")
        }
    }

    /// Puts everything back in place, inodes and all.
    public func rollBack() {
        for name in StateFiles.names(in: directory) where files[name] == nil {
            StateFiles.remove("\(directory)/\(name)")
        }
        StateFiles.remove("\(directory)/ledger.db-shm")
        for (name, bytes) in files { StateFiles.write(bytes, to: "\(directory)/\(name)") }
    }
}

/// Counts how often the mark is written, and dies before or after one of the writes.
public final class FragileMark: MarkFiles {
    /// Where it dies.
    public enum Death: Sendable, Hashable {
        /// The bytes do not arrive.
        case beforeWrite
        /// Half of them do.
        case amidWrite
        /// They all do.
        case afterWrite
    }
    private struct State {
        var writes = 0
        var death: (write: Int, Death)?
    }
    private let state = Mutex(State())
    private let files = SystemMarkFiles()

    /// Counts.
    public init() {}

    /// How often the mark was written.
    public var writes: Int { state.withLock { $0.writes } }

    /// Dies at the `write`th write from now, once.
    public func die(_ death: Death, atWrite write: Int) {
        state.withLock { $0.death = ($0.writes + write, death) }
    }

    /// Reads the file.
    public func read(_ path: String) throws(LedgerError) -> [UInt8]? { try files.read(path) }

    /// Writes the file, or dies.
    public func write(
        _ bytes: [UInt8], at offset: Int64, to path: String
    ) throws(LedgerError) {
        let death = state.withLock { state -> Death? in
            state.writes += 1
            guard let death = state.death, death.write == state.writes else { return nil }
            state.death = nil
            return death.1
        }
        switch death {
        case .beforeWrite?: break
        case .amidWrite?:
            try files.write(Array(bytes.prefix(bytes.count / 3)), at: offset, to: path)
        case .afterWrite?, nil: try files.write(bytes, at: offset, to: path)
        }
        if death != nil { throw LedgerError(.io, "The process died here.") }
    }
}
