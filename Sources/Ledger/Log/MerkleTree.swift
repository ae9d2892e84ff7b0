/// The right edge of an RFC 6962 tree: enough to append leaves and to compute the root.
struct MerkleFrontier: Sendable, Hashable {
    private(set) var size: UInt64 = 0
    /// Roots of the perfect subtrees that make up the tree, the largest first.
    private(set) var subtrees: [Bytes32] = []
    /// The root of the last `MerkleTree.storedSubtreeSize` leaves, set when their number is full.
    private(set) var completedSubtree: Bytes32?

    init() {}

    /// Nil when the number of subtrees does not fit the size.
    init?(size: UInt64, subtrees: [Bytes32]) {
        guard subtrees.count == size.nonzeroBitCount else { return nil }
        self.size = size
        self.subtrees = subtrees
    }

    mutating func append(_ leaf: Bytes32, _ digester: Digester) {
        var hash = leaf
        var remaining = size
        var covered: UInt64 = 1
        completedSubtree = nil
        while remaining & 1 == 1 {
            hash = digester.node(subtrees.removeLast(), hash)
            remaining >>= 1
            covered <<= 1
            if covered == MerkleTree.storedSubtreeSize { completedSubtree = hash }
        }
        subtrees.append(hash)
        size += 1
    }

    /// The root; SHA-256 of nothing for an empty tree (RFC 6962 section 2.1).
    func root(_ digester: Digester) -> Bytes32 {
        guard var hash = subtrees.last else { return digester.digest([]) }
        for left in subtrees.dropLast().reversed() { hash = digester.node(left, hash) }
        return hash
    }
}

/// Proofs over an RFC 6962 tree, and their verification.
///
/// ```swift
/// let isInLog = MerkleTree.verifyInclusion(
///     proof.path, of: proof.event, at: proof.sequence, size: checkpoint.size,
///     root: checkpoint.root)
/// let onlyGrew = MerkleTree.verifyConsistency(
///     path, from: old.size, root: old.root, to: new.size, root: new.root)
/// ```
public enum MerkleTree {
    /// How many leaves make a stored subtree; proofs read no more leaves than about twice this.
    static let storedSubtreeSize: UInt64 = 1024

    /// What a proof is computed from.
    struct Source {
        /// Leaf hashes of a range, in order.
        let leaves: (Range<UInt64>) throws(LedgerError) -> [Bytes32]
        /// The root of the stored subtree that begins at `index * storedSubtreeSize`, if stored.
        let subtree: (UInt64) throws(LedgerError) -> Bytes32?
    }

    /// MTH of RFC 6962 section 2.1 over a range that begins at a multiple of its power of two.
    static func root(
        _ range: Range<UInt64>, _ source: Source, _ digester: Digester
    ) throws(LedgerError) -> Bytes32 {
        let count = UInt64(range.count)
        if count == storedSubtreeSize, range.lowerBound % storedSubtreeSize == 0,
            let stored = try source.subtree(range.lowerBound / storedSubtreeSize)
        {
            return stored
        }
        if count <= storedSubtreeSize {
            var frontier = MerkleFrontier()
            for leaf in try source.leaves(range) { frontier.append(leaf, digester) }
            return frontier.root(digester)
        }
        let split = range.lowerBound + largestPowerOfTwo(below: count)
        return digester.node(
            try root(range.lowerBound..<split, source, digester),
            try root(split..<range.upperBound, source, digester))
    }

    /// PATH of RFC 6962 section 2.1.1: proves that a leaf is in the tree of `size` leaves.
    static func inclusionProof(
        of leaf: UInt64, size: UInt64, _ source: Source, _ digester: Digester
    ) throws(LedgerError) -> [Bytes32] {
        var range = 0..<size
        var path: [Bytes32] = []
        while range.count > 1 {
            let split = range.lowerBound + largestPowerOfTwo(below: UInt64(range.count))
            if leaf < split {
                path.append(try root(split..<range.upperBound, source, digester))
                range = range.lowerBound..<split
            } else {
                path.append(try root(range.lowerBound..<split, source, digester))
                range = split..<range.upperBound
            }
        }
        return path.reversed()
    }

    /// PROOF of RFC 6962 section 2.1.2: proves that the tree of `old` leaves is a prefix.
    static func consistencyProof(
        from old: UInt64, to size: UInt64, _ source: Source, _ digester: Digester
    ) throws(LedgerError) -> [Bytes32] {
        guard old > 0, old < size else { return [] }
        var range = 0..<size
        var path: [Bytes32] = []
        var isWhole = true
        while range.upperBound != old {
            let split = range.lowerBound + largestPowerOfTwo(below: UInt64(range.count))
            if old <= split {
                path.append(try root(split..<range.upperBound, source, digester))
                range = range.lowerBound..<split
            } else {
                path.append(try root(range.lowerBound..<split, source, digester))
                range = split..<range.upperBound
                isWhole = false
            }
        }
        if !isWhole { path.append(try root(range, source, digester)) }
        return path.reversed()
    }

    private static func largestPowerOfTwo(below count: UInt64) -> UInt64 {
        1 << UInt64(63 - (count - 1).leadingZeroBitCount)
    }

    /// Checks an inclusion proof as RFC 9162 section 2.1.3.2 says.
    ///
    /// - Parameters:
    ///   - proof: sibling hashes, from the leaf up.
    ///   - leaf: the event's id.
    ///   - index: the event's sequence in its log.
    ///   - size: the tree size of the checkpoint.
    ///   - root: the root of the checkpoint.
    /// - Returns: whether the proof holds.
    public static func verifyInclusion(
        _ proof: [Bytes32], of leaf: EventID, at index: UInt64, size: UInt64, root: Bytes32
    ) -> Bool {
        guard index < size, let digester = try? Digester() else { return false }
        var (position, last) = (index, size - 1)
        var hash = leaf.raw
        for sibling in proof {
            guard last > 0 else { return false }
            if position & 1 == 1 || position == last {
                hash = digester.node(sibling, hash)
                while position & 1 == 0, position != 0 {
                    position >>= 1
                    last >>= 1
                }
            } else {
                hash = digester.node(hash, sibling)
            }
            position >>= 1
            last >>= 1
        }
        return last == 0 && hash == root
    }

    /// Checks a consistency proof as RFC 9162 section 2.1.4.2 says.
    ///
    /// - Parameters:
    ///   - proof: the hashes of the proof.
    ///   - old: the smaller tree size.
    ///   - oldRoot: its root.
    ///   - size: the larger tree size.
    ///   - root: its root.
    /// - Returns: whether the smaller tree is a prefix of the larger.
    public static func verifyConsistency(
        _ proof: [Bytes32], from old: UInt64, root oldRoot: Bytes32, to size: UInt64, root: Bytes32
    ) -> Bool {
        guard old <= size else { return false }
        if old == size { return proof.isEmpty && oldRoot == root }
        if old == 0 { return proof.isEmpty }
        guard let digester = try? Digester() else { return false }
        var path = proof[...]
        if old & (old - 1) == 0 { path = [oldRoot] + path }
        guard let first = path.popFirst() else { return false }
        var (position, last) = (old - 1, size - 1)
        while position & 1 == 1 {
            position >>= 1
            last >>= 1
        }
        var (left, right) = (first, first)
        for sibling in path {
            guard last > 0 else { return false }
            if position & 1 == 1 || position == last {
                left = digester.node(sibling, left)
                right = digester.node(sibling, right)
                while position & 1 == 0, position != 0 {
                    position >>= 1
                    last >>= 1
                }
            } else {
                right = digester.node(right, sibling)
            }
            position >>= 1
            last >>= 1
        }
        return last == 0 && left == oldRoot && right == root
    }
}
