/// Which removals' folder secrets are used, and who hands them on: functions of the set, so that
/// everybody comes to the same.
extension Membership {
    /// A generation that a removal may count on; a higher one could leave none to go on with.
    private static let generationMax: UInt64 = 1 << 53

    /// Whether an event counts in full: its author was admitted and it lies before every removal
    /// point of that author.
    func isSound(_ entry: Entry) -> Bool {
        guard graph.admitted.contains(entry.author) else { return false }
        guard let limit = limits[entry.author] else { return true }
        return limit.admits(entries.filter { $0.id == entry.id }.map(\.row))
    }

    /// The removals whose secrets may be used, ascending by generation; of one generation the
    /// lowest id comes last.
    var secretMakers: [(entry: Entry, removal: MemberRemoval)] {
        var seen: Set<EventID> = []
        var makers: [(entry: Entry, removal: MemberRemoval)] = []
        for entry in entries {
            guard case .removal(let removal) = entry.content,
                removal.generation <= Self.generationMax, !removal.sealedKeys.isEmpty,
                isSound(entry), seen.insert(entry.id).inserted
            else { continue }
            makers.append((entry, removal))
        }
        return makers.sorted {
            ($0.removal.generation, $1.entry.id) < ($1.removal.generation, $0.entry.id)
        }
    }

    /// The newest generation in use; 0 before the first removal.
    var newestGeneration: UInt64 { secretMakers.last?.removal.generation ?? 0 }

    /// To whom the secret of a removal was sealed.
    func holders(of maker: Entry, _ removal: MemberRemoval) -> Set<ReplicaID> {
        var holders = Set(removal.sealedKeys.map(\.replica))
        holders.insert(maker.author)
        for entry in entries {
            guard case .admission(let admission) = entry.content,
                admission.folderKeys.contains(where: { $0.removal == maker.id }), isSound(entry)
            else { continue }
            holders.insert(admission.replica)
        }
        return holders
    }

    /// The removal whose secret new files are sealed with: the newest one that nobody has who is
    /// not a member now; nil before the first, and where all are known to somebody who was removed.
    var chosenMaker: (entry: Entry, removal: MemberRemoval)? {
        secretMakers.last { (entry, removal) in
            holders(of: entry, removal).allSatisfy(graph.isMember)
        }
    }

    /// Who gives a member a secret: whoever made it, else whoever admitted the member, else the
    /// founder, else the member with the lowest id.
    func sharer(of maker: Entry, with replica: ReplicaID) -> ReplicaID? {
        let candidates = [maker.author] + admissions(of: replica).map(\.entry.author)
        return candidates.first { graph.isMember($0) && $0 != replica } ?? renewer
    }

    /// Who makes a new secret where every one is known to somebody who was removed.
    var renewer: ReplicaID? {
        if let founder = graph.roots?.founder, graph.isMember(founder) { return founder }
        return graph.members.first
    }
}
