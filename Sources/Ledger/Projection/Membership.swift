/// The members that the stored events imply, and which stored events lie beyond a removal point.
struct Membership: Sendable {
    /// A stored event about members; the same one may lie in two rows, on two branches.
    struct Entry: Sendable {
        enum Content: Sendable {
            case founding(LogOpening.Founding)
            case admission(MemberAdmission)
            case removal(MemberRemoval)
        }
        let id: EventID
        let row: Int64
        let author: ReplicaID
        let timestamp: Timestamp
        let content: Content
    }

    /// The rows before the points of one removal.
    struct Coverage: Sendable, Equatable {
        var rows: [ClosedRange<Int64>] = []

        func contains(_ row: Int64) -> Bool { rows.contains { $0.contains(row) } }
    }

    /// Which events of an author count in full.
    enum Limit: Sendable, Equatable {
        /// None: nobody who could let the author in did.
        case none
        /// Those before the points of every removal of the author.
        case covered([Coverage])

        /// Whether an event that lies in these rows counts in full.
        func admits(_ rows: [Int64]) -> Bool {
            guard case .covered(let all) = self else { return false }
            return all.allSatisfy { coverage in rows.contains(where: coverage.contains) }
        }
    }

    private(set) var entries: [Entry] = []
    private(set) var graph = MembershipGraph()
    /// Authors of whom not all events count in full.
    private(set) var limits: [ReplicaID: Limit] = [:]
    /// By removal.
    private(set) var coverage: [EventID: Coverage] = [:]
    /// Whether a removal names more of a log than is here.
    private(set) var isWaiting = false
    /// The newest row of `entries`' table that was read.
    var lastRow: Int64 = 0

    init() {}

    /// Works out what the entries imply.
    ///
    /// - Parameters:
    ///   - entries: all of them, by row.
    ///   - cover: the rows before a point; nil while the chain here does not reach it.
    /// - Throws: what `cover` throws.
    init(
        _ entries: [Entry],
        cover: (MemberRemoval.Point) throws(LedgerError) -> [ClosedRange<Int64>]?
    ) throws(LedgerError) {
        self.entries = entries
        var rows: [EventID: [Int64]] = [:]
        var admissions: [MembershipGraph.Admission] = []
        var removals: [MembershipGraph.Removal] = []
        var roots: MembershipGraph.Roots?
        for entry in entries {
            rows[entry.id, default: []].append(entry.row)
            switch entry.content {
            case .founding(let founding):
                roots = .init(
                    founder: entry.author, recoveryKey: ReplicaID(raw: founding.recoveryKey))
            case .admission(let admission):
                admissions.append(
                    .init(
                        id: entry.id, author: entry.author, target: admission.replica,
                        overrules: admission.overrules))
            case .removal(let removal):
                removals.append(
                    .init(id: entry.id, author: entry.author, target: removal.replica))
                guard coverage[entry.id] == nil else { continue }
                var covered = Coverage()
                for point in removal.points {
                    if let rows = try cover(point) {
                        covered.rows += rows
                    } else {
                        isWaiting = true
                    }
                }
                coverage[entry.id] = covered
            }
        }
        let coverage = coverage
        graph = MembershipGraph(roots: roots, admissions: admissions, removals: removals) {
            (admission, removal) in
            (rows[admission] ?? []).contains { coverage[removal]?.contains($0) ?? false }
        }
        for author in graph.known where !graph.admitted.contains(author) {
            limits[author] = Limit.none
        }
        for (author, removals) in graph.removals where graph.admitted.contains(author) {
            limits[author] = .covered(removals.map { coverage[$0] ?? Coverage() })
        }
    }

    /// Whether anybody was ever removed.
    var hasRemovals: Bool { !coverage.isEmpty }

    /// The removals of a replica in order of their times, overruled ones too.
    func removals(of replica: ReplicaID) -> [(entry: Entry, removal: MemberRemoval)] {
        var seen: Set<EventID> = []
        return entries.compactMap { entry in
            guard case .removal(let removal) = entry.content, removal.replica == replica,
                graph.known.contains(entry.author), seen.insert(entry.id).inserted
            else { return nil }
            return (entry, removal)
        }.sorted { ($0.entry.timestamp, $0.entry.id) < ($1.entry.timestamp, $1.entry.id) }
    }

    /// The admissions of a replica that count, in order of their times.
    func admissions(of replica: ReplicaID) -> [(entry: Entry, admission: MemberAdmission)] {
        var seen: Set<EventID> = []
        return entries.compactMap { entry in
            guard case .admission(let admission) = entry.content, admission.replica == replica,
                graph.effective.contains(entry.id), seen.insert(entry.id).inserted
            else { return nil }
            return (entry, admission)
        }.sorted { ($0.entry.timestamp, $0.entry.id) < ($1.entry.timestamp, $1.entry.id) }
    }
}

extension Fact {
    /// Takes away what an event beyond a removal point does not do: it replaces nothing, and only
    /// a denial or restriction counts.
    ///
    /// One that cannot be read may be a denial, so it goes on weighing as not granted.
    mutating func limit() {
        replaces = []
        switch role {
        case .decides(let decision)
        where decision.isUndecodable || decision.status <= .denied: break
        case .blocks, .erases: break
        default: role = .nothing
        }
    }
}
