internal import CSQLite

/// Whether the wal-index header is the one that was copied last.
func walIndexEquals(
    _ page: UnsafeRawPointer, _ known: UnsafeMutableRawBufferPointer
) -> Bool {
    csqlite_wal_index_equals(page, known.baseAddress) == 1
}

/// Copies the 48 bytes that change with every commit.
func copyWalIndex(_ page: UnsafeRawPointer, _ known: inout [UInt8]) {
    known.withUnsafeMutableBytes { csqlite_wal_index_copy(page, $0.baseAddress) }
}
