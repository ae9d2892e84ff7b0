internal import Ledger

/// A replica named on the command line.
enum MemberArgument {
    static let form = "Its id, any unique beginning of it, or its name."

    /// Finds who is meant: an id or its beginning before a name.
    ///
    /// - Parameters:
    ///   - text: what was given.
    ///   - ledger: where to look.
    ///   - mayBeNew: whether a whole id may be one that the ledger never heard of.
    /// - Returns: the one replica that fits.
    /// - Throws: `notFound` for nobody, `data` for more than one.
    static func find(
        _ text: String, _ ledger: Ledger, mayBeNew: Bool = false
    ) throws(Failure) -> ReplicaID {
        if let id = ReplicaID(text), mayBeNew { return id }
        let (members, strangers) = try lifted { () throws(LedgerError) in
            (try ledger.members(), try ledger.strangers())
        }
        let prefix = text.lowercased()
        var found = (members.map(\.replica) + strangers.map(\.replica)).filter {
            !prefix.isEmpty && $0.description.hasPrefix(prefix)
        }
        if found.isEmpty { found = members.filter { $0.name == text }.map(\.replica) }
        guard let only = found.first else {
            throw Failure(
                .noInput, code: "notFound",
                "No replica has that id or name. Try: ledgerd members list")
        }
        guard found.count == 1 else {
            throw .data("\(found.count) replicas fit; give more of the id.")
        }
        return only
    }
}
