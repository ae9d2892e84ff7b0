extension EventStore {
    /// Has SQLite check every page but those of the events, which verifying reads one by one.
    ///
    /// The other tables are small, or read in part: an index or a list of calls that is garbage
    /// would show only when it is needed.
    ///
    /// - Throws: `damaged` with the first thing that is wrong.
    func checkPages() throws(LedgerError) {
        var names: [String] = []
        let tables = try database.prepare(
            "SELECT name FROM sqlite_schema WHERE type='table' AND name<>'event'")
        while try tables.step() { names.append(tables.text(0)) }
        tables.reset()
        for name in names {
            let quoted = name.replacing("'", with: "''")
            let check = try database.prepare("PRAGMA integrity_check('\(quoted)')")
            guard try check.step(), check.text(0) == "ok" else {
                throw .damaged(database.path, cause: "table \(name): \(check.text(0))")
            }
        }
        // The one index of the events is walked without them.
        _ = try database.integer(
            "SELECT count(*) FROM event INDEXED BY event_missing WHERE body IS NULL")
    }
}
