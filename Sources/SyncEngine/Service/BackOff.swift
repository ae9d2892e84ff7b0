internal import Ledger

/// When to try again: each failure doubles the pause, and chance spreads those who failed together.
struct BackOff: Sendable {
    private(set) var failures = 0
    let least: Int64
    let most: Int64

    /// Counts a failure.
    ///
    /// - Parameter random: a number from 0 to below its argument.
    /// - Returns: how long to wait: half of the pause, and a random share of the other half.
    mutating func fail(_ random: (Int64) -> Int64) -> Int64 {
        var pause = least
        for _ in 0..<min(failures, 62) where pause < most { pause *= 2 }
        pause = min(pause, most)
        failures += 1
        return pause / 2 + random(pause - pause / 2 + 1)
    }

    mutating func succeed() { failures = 0 }
}

/// Which of two connections between the same replicas stays.
enum PairRule {
    /// Whether the newer one stays; both replicas see the same two and come to the same result.
    ///
    /// The one that the lower id made stays. Of two made by the same side the newer does, for
    /// nobody calls who has a line.
    static func keepsNewer(
        ownID: ReplicaID, peer: ReplicaID, olderIsOwn: Bool, newerIsOwn: Bool
    ) -> Bool {
        guard olderIsOwn != newerIsOwn else { return true }
        return newerIsOwn == (ownID < peer)
    }
}
