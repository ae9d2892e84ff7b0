internal import CSQLite

/// A copy of the 48 bytes of SQLite's wal-index that change with every commit.
final class WalIndexHeader {
    private let bytes: UnsafeMutableRawPointer

    init() {
        bytes = .allocate(byteCount: 48, alignment: 8)
        bytes.initializeMemory(as: UInt8.self, repeating: 0, count: 48)
    }

    deinit { bytes.deallocate() }

    /// Whether nothing was committed since the copy was made.
    func equals(_ page: UnsafeRawPointer) -> Bool { csqlite_wal_index_equals(page, bytes) == 1 }

    var value: [UInt8] {
        [UInt8](UnsafeRawBufferPointer(start: bytes, count: 48))
    }

    func copy(_ page: UnsafeRawPointer) { csqlite_wal_index_copy(page, bytes) }
}
