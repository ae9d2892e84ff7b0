internal import CSQLite

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Inode and birth time of a file.
package struct FileIdentity: Hashable, Sendable {
    package var inode: UInt64
    package var birthNanoseconds: Int64?

    package init(inode: UInt64, birthNanoseconds: Int64?) {
        self.inode = inode
        self.birthNanoseconds = birthNanoseconds
    }

    /// Nil when there is no such file.
    package init?(of path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let birth = csqlite_birth_time(path)
        self.init(inode: UInt64(status.st_ino), birthNanoseconds: birth < 0 ? nil : birth)
    }
}

/// How a mark's file is read and written, so that a test can cut it off.
package protocol MarkFiles: Sendable {
    /// The whole file; nil when it is not there.
    func read(_ path: String) throws(LedgerError) -> [UInt8]?
    /// Overwrites part of the file, which is made if it is not there; durable when it returns.
    func write(_ bytes: [UInt8], at offset: Int64, to path: String) throws(LedgerError)
}

/// open → pwrite → fdatasync → close; a new file is filled to its length first and its directory
/// synchronised, so that later writes change no metadata and cost one flush.
package struct SystemMarkFiles: MarkFiles {
    package init() {}

    package func read(_ path: String) throws(LedgerError) -> [UInt8]? {
        guard let bytes = SmallFile.read(path, max: 2 * Mark.slotLength) else {
            if errno == ENOENT { return nil }
            throw .file("read", path)
        }
        return bytes
    }

    package func write(
        _ bytes: [UInt8], at offset: Int64, to path: String
    ) throws(LedgerError) {
        if !Files.exists(path) {
            try Files.writeNew([UInt8](repeating: 0x20, count: 2 * Mark.slotLength), to: path)
        }
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("open", path) }
        let isWritten = bytes.withUnsafeBytes {
            pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) == $0.count
        }
        #if canImport(Glibc)
        let isDurable = isWritten && fdatasync(descriptor) == 0
        #else
        let isDurable = isWritten && fsync(descriptor) == 0
        #endif
        let error = LedgerError.file("write", path)
        guard close(descriptor) == 0, isDurable else { throw error }
    }
}

extension LedgerEnvironment {
    /// What systemd and its kin write once per installation, machine-id(5); nil where there is
    /// none, or none yet.
    static let systemMachineID: @Sendable () -> String? = {
        guard let bytes = SmallFile.read("/etc/machine-id", max: 128) else { return nil }
        let text = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        return text.isEmpty || text == "uninitialized" ? nil : text
    }
}
