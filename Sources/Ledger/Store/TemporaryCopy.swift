/// A private copy of a database and its write-ahead log, for media that cannot be written.
///
/// Opening such a file in place needs a wal-index that cannot be made there, and `immutable=1`
/// would silently leave out what is still in the `-wal`.
final class TemporaryCopy: Sendable {
    let path: String
    private let directory: String

    init(of source: String) throws(LedgerError) {
        directory = try Files.makeTemporaryDirectory()
        path = directory + "/ledger.db"
        do {
            try Files.copy(source, to: path)
            if Files.exists(source + "-wal") { try Files.copy(source + "-wal", to: path + "-wal") }
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    private func remove() {
        for suffix in ["", "-wal", "-shm"] { Files.remove(path + suffix) }
        Files.removeDirectory(directory)
    }
}
