/// Who is known and who is a member: a pure function of the admissions and removals in the set.
///
/// *Known* is who is reached from the founder or the recovery key by admissions, whatever was
/// removed; it only grows. *Admitted* is who is reached by admissions that each lie before every
/// removal point of their author. A member is admitted and not removed.
struct MembershipGraph: Sendable, Equatable {
    struct Admission: Sendable, Hashable {
        let id: EventID
        let author: ReplicaID
        let target: ReplicaID
        /// Removals that a return overrules; they count where the recovery key names them.
        var overrules: [EventID] = []
    }

    struct Removal: Sendable, Hashable {
        let id: EventID
        let author: ReplicaID
        let target: ReplicaID
    }

    /// The two from which everybody else is reached; nil before the founder's log is here.
    struct Roots: Sendable, Hashable {
        let founder: ReplicaID
        let recoveryKey: ReplicaID
    }

    var roots: Roots?
    /// Whose logs are taken.
    private(set) var known: Set<ReplicaID> = []
    /// Who was let in by somebody who could still do so.
    private(set) var admitted: Set<ReplicaID> = []
    /// The removals that count and that nothing overrules, by whom they remove, ascending.
    private(set) var removals: [ReplicaID: [EventID]] = [:]
    /// The admissions that let their target in.
    private(set) var effective: Set<EventID> = []

    init() {}

    /// Works it out.
    ///
    /// - Parameters:
    ///   - roots: founder and recovery key; without them nobody is known.
    ///   - admissions: in any order, and with repetitions.
    ///   - removals: in any order, and with repetitions.
    ///   - isBefore: whether an admission lies before the removal point that a removal sets to
    ///     the admission's author.
    init(
        roots: Roots?, admissions: [Admission], removals: [Removal],
        isBefore: (_ admission: EventID, _ removal: EventID) -> Bool
    ) {
        self.roots = roots
        guard let roots else { return }
        let byAuthor = Dictionary(grouping: Set(admissions), by: \.author)
        known = Self.reach(roots, byAuthor) { _ in true }
        setRemovals(Set(removals), byAuthor[roots.recoveryKey] ?? [], roots)
        let standing = self.removals
        func counts(_ admission: Admission) -> Bool {
            (standing[admission.author] ?? []).allSatisfy { isBefore(admission.id, $0) }
        }
        admitted = Self.reach(roots, byAuthor, where: counts)
        for author in admitted {
            for admission in byAuthor[author] ?? [] where counts(admission) {
                effective.insert(admission.id)
            }
        }
    }

    private static func reach(
        _ roots: Roots, _ byAuthor: [ReplicaID: [Admission]], where counts: (Admission) -> Bool
    ) -> Set<ReplicaID> {
        var reached: Set<ReplicaID> = [roots.founder, roots.recoveryKey]
        var open = Array(reached)
        while let author = open.popLast() {
            for admission in byAuthor[author] ?? []
            where counts(admission) && reached.insert(admission.target).inserted {
                open.append(admission.target)
            }
        }
        return reached
    }

    /// Whoever is known removes, even if removed: two devices that remove each other are both out.
    ///
    /// Nobody removes the recovery key, since nothing could bring it back.
    private mutating func setRemovals(
        _ all: Set<Removal>, _ byRecoveryKey: [Admission], _ roots: Roots
    ) {
        let returns = Dictionary(grouping: byRecoveryKey, by: \.target)
        for removal in all where known.contains(removal.author) {
            guard removal.target != roots.recoveryKey else { continue }
            let isOverruled = (returns[removal.target] ?? []).contains {
                $0.overrules.contains(removal.id)
            }
            if !isOverruled { removals[removal.target, default: []].append(removal.id) }
        }
        for target in removals.keys { removals[target]?.sort() }
    }

    func isMember(_ replica: ReplicaID) -> Bool {
        replica != roots?.recoveryKey && admitted.contains(replica) && removals[replica] == nil
    }

    /// Ascending.
    var members: [ReplicaID] { admitted.filter(isMember).sorted() }
}
