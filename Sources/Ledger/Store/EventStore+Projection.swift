extension EventStore {
    // MARK: States

    /// What the table holds for a key.
    enum Projected {
        case nothing
        case state(KeyState)
        /// The bytes do not decode; the events tell.
        case unreadable

        init(_ bytes: UnsafeRawBufferPointer) {
            self = (try? KeyState(storedBytes: [UInt8](bytes))).map(Projected.state) ?? .unreadable
        }
    }

    func projectedState(_ key: StateKey) throws(LedgerError) -> Projected {
        try withBundle(StateBundle.row(key.tag)) { (items) -> Projected in
            guard let items else { return .unreadable }
            let found = key.bytes.withUnsafeBytes { key in
                items.first { $0.key.hasSameBytes(as: key) }
            }
            return found.map { Projected($0.state) } ?? .nothing
        }
    }

    /// The projected keys of a subject, ascending; nil where the row does not decode.
    func states(
        of tag: SubjectTag
    ) throws(LedgerError) -> [(key: StateKey, state: Projected)]? {
        try withBundle(StateBundle.row(tag)) { items in
            items?.compactMap { item in
                let key = StateKey(bytes: [UInt8](item.key))
                return key.tag == tag ? (key, Projected(item.state)) : nil
            }
        }
    }

    /// Calls `body` with a row's items, which are valid inside it only: none where there is no row,
    /// nil where it does not decode.
    func withBundle<R>(
        _ row: Int64, _ body: ([StateBundle.Item]?) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        let statement = try statement("SELECT states FROM projection WHERE row=?1")
        statement.bind(1, row)
        defer { statement.reset() }
        return try body(
            try statement.step() ? StateBundle.items(statement.borrowed(0)) : [])
    }

    /// Writes changed states into their row, beside what is there.
    ///
    /// - Returns: false, and nothing is written, where the row that is there does not decode.
    func putStates(_ changed: StateBundle.Changes) throws(LedgerError) -> Bool {
        guard let row = changed.row else { return true }
        let isReadable = try withBundle(row) { items in
            guard let items else { return false }
            changed.merge(into: items, writing: &bundleScratch)
            return true
        }
        if isReadable { try putBundle(row, bundleScratch) }
        return isReadable
    }

    /// Stores a row anew; one without any keys goes.
    func putBundle(_ row: Int64, _ bundle: [UInt8]) throws(LedgerError) {
        let statement = try statement(
            bundle.isEmpty
                ? "DELETE FROM projection WHERE row=?1"
                : "INSERT OR REPLACE INTO projection VALUES(?1, ?2)")
        statement.bind(1, row)
        if bundle.isEmpty { try statement.run() } else { try statement.run(2, borrowing: bundle) }
    }

    /// Goes through all projected keys, ascending.
    ///
    /// - Throws: `damaged` for a row that does not decode, and what `body` throws.
    func forEachState(
        _ body: (StateKey, Projected) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
        let unreadable = try forEachStoredState { (key, state) throws(LedgerError) in
            try body(StateKey(bytes: [UInt8](key)), Projected(state))
        }
        guard unreadable == 0 else { throw damaged("projection") }
    }

    /// Goes through all projected keys and states as they are stored, ascending, until `body` says
    /// false; the buffers are valid inside it only.
    ///
    /// - Returns: how many rows do not decode.
    func forEachStoredState(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(LedgerError) -> Bool
    ) throws(LedgerError) -> Int {
        let statement = try database.prepare("SELECT states FROM projection ORDER BY row")
        var unreadable = 0
        while try statement.step() {
            guard let items = StateBundle.items(statement.borrowed(0)) else {
                unreadable += 1
                continue
            }
            for item in items {
                guard try body(item.key, item.state) else { return unreadable }
            }
        }
        return unreadable
    }

    func clearProjection() throws(LedgerError) {
        try database.execute("DELETE FROM projection; DELETE FROM blocker; DELETE FROM erasure")
        try database.execute("DELETE FROM run; DELETE FROM run_page")
    }

    // MARK: Blockers

    func blockers() throws(LedgerError) -> [(tag: SubjectTag, id: EventID, row: Int64)] {
        let statement = try statement("SELECT tag, id, row FROM blocker ORDER BY tag, id")
        var blockers: [(tag: SubjectTag, id: EventID, row: Int64)] = []
        while try statement.step() {
            guard let tag = SubjectTag(bytes: statement.bytes(0)),
                let id = EventID(bytes: statement.bytes(1))
            else { throw damaged("blocker") }
            blockers.append((tag, id, statement.integer(2)))
        }
        return blockers
    }

    func insertBlocker(tag: SubjectTag, id: EventID, row: Int64) throws(LedgerError) {
        let statement = try statement("INSERT OR IGNORE INTO blocker VALUES(?1, ?2, ?3)")
        statement.bind(1, tag.bytes)
        statement.bind(2, id.bytes)
        statement.bind(3, row)
        try statement.run()
    }

    func deleteBlocker(tag: SubjectTag, id: EventID) throws(LedgerError) {
        let statement = try statement("DELETE FROM blocker WHERE tag=?1 AND id=?2")
        statement.bind(1, tag.bytes)
        statement.bind(2, id.bytes)
        try statement.run()
    }

    // MARK: Index runs

    func runs() throws(LedgerError) -> [IndexRun] {
        let statement = try statement("SELECT no, level, first_row, last_row, fences FROM run")
        var runs: [IndexRun] = []
        while try statement.step() {
            let bytes = statement.borrowed(4)
            let fences = stride(from: 0, to: bytes.count / 8 * 8, by: 8).map {
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
            }
            let first = statement.integer(2)
            guard Self.count(first) != nil, let number = Self.count(statement.integer(0)),
                number < 1 << 40
            else { throw damaged("run") }
            runs.append(
                IndexRun(
                    number: statement.integer(0), level: Int(statement.integer(1)),
                    rows: first...Swift.max(first, statement.integer(3)), fences: fences))
        }
        return runs
    }

    func insertRun(
        level: Int, rows: ClosedRange<Int64>, _ entries: [IndexRun.Entry]
    ) throws(LedgerError) -> IndexRun {
        let number = try database.integer("SELECT coalesce(max(no), 0) + 1 FROM run")
        let pages = IndexRun.pages(entries, base: rows.lowerBound)
        let pageInsertion = try statement("INSERT INTO run_page VALUES(?1, ?2)")
        for (index, page) in pages.enumerated() {
            pageInsertion.bind(1, number * IndexRun.pagesMax + Int64(index))
            pageInsertion.bind(2, page.bytes)
            try pageInsertion.run()
        }
        let fences = pages.map(\.fence)
        let insertion = try statement("INSERT INTO run VALUES(?1, ?2, ?3, ?4, ?5)")
        insertion.bind(1, number)
        insertion.bind(2, Int64(level))
        insertion.bind(3, rows.lowerBound)
        insertion.bind(4, rows.upperBound)
        insertion.bind(
            5, fences.flatMap { fence in withUnsafeBytes(of: fence.bigEndian) { Array($0) } })
        try insertion.run()
        return IndexRun(number: number, level: level, rows: rows, fences: fences)
    }

    func deleteRun(_ run: IndexRun) throws(LedgerError) {
        let pages = try statement("DELETE FROM run_page WHERE place BETWEEN ?1 AND ?2")
        pages.bind(1, run.number * IndexRun.pagesMax)
        pages.bind(2, (run.number + 1) * IndexRun.pagesMax - 1)
        try pages.run()
        let deletion = try statement("DELETE FROM run WHERE no=?1")
        deletion.bind(1, run.number)
        try deletion.run()
    }

    /// Calls `body` with the rows of a run's entries with this prefix.
    func forEachRow(
        of run: IndexRun, about prefix: UInt64, _ body: (Int64) -> Void
    ) throws(LedgerError) {
        try forEachPage(of: run, run.pages(for: prefix)) { bytes in
            IndexRun.forEachRow(bytes, base: run.rows.lowerBound, about: prefix, body)
        }
    }

    /// Calls `body` with the entries of the pages of a run.
    func forEachEntry(
        of run: IndexRun, pages: Range<Int>, _ body: (IndexRun.Entry) -> Void
    ) throws(LedgerError) {
        try forEachPage(of: run, pages) { bytes in
            IndexRun.forEach(bytes, base: run.rows.lowerBound, body)
        }
    }

    private func forEachPage(
        of run: IndexRun, _ pages: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(LedgerError) {
        guard !pages.isEmpty else { return }
        let statement = try statement(
            "SELECT entries FROM run_page WHERE place BETWEEN ?1 AND ?2 ORDER BY place")
        statement.bind(1, run.number * IndexRun.pagesMax + Int64(pages.lowerBound))
        statement.bind(2, run.number * IndexRun.pagesMax + Int64(pages.upperBound) - 1)
        var count = 0
        while try statement.step() {
            let bytes = statement.borrowed(0)
            // A page that says less than was written would hide events from whoever asks.
            guard !bytes.isEmpty, bytes.count % IndexRun.entryLength == 0 else { break }
            body(bytes)
            count += 1
        }
        statement.reset()
        guard count == pages.count else {
            throw LedgerError(
                .damaged,
                "The index of \(database.path) is damaged; the events are not. Rebuild it from "
                    + "them (ledgerd verify --rebuild).")
        }
    }
}
