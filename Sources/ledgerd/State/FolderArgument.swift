internal import Ledger
internal import SyncEngine

extension Invocation {
    /// The drop folder that is the first argument.
    ///
    /// Closing a file of the database drops the locks that SQLite holds on it
    /// (https://sqlite.org/howtocorrupt.html, section 2.2), and whoever carries the folder would
    /// carry the database and the key: so neither may lie in the other.
    func folderArgument() throws(Failure) -> String {
        let path = try requiredArgument(0)
        guard !SyncedFolder.overlap(path, try directory()) else {
            throw usage("the folder and the ledger's state directory must not lie in each other")
        }
        return path
    }
}
