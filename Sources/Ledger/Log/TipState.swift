/// A tip with what is missing of its chain: what merging compares.
package struct TipState: Sendable, Hashable {
    package let tip: Tip
    /// How many payloads are missing for another reason than erasure.
    package let missingCount: UInt64
    /// The first 8 bytes of SHA-256 over their sequences; 0 for none.
    package let missingDigest: UInt64
    /// SHA-256 over log id, size, root and the missing sequences (`docs/FORMAT.md`, "In transit").
    package let digest: Bytes32

    package init(_ tip: Tip, missing: [UInt64], _ digester: Digester) {
        self.tip = tip
        missingCount = UInt64(missing.count)
        var positions: [UInt8] = []
        positions.reserveCapacity(8 * missing.count)
        for sequence in missing { Self.append(sequence, to: &positions) }
        missingDigest = missing.isEmpty ? 0 : digester.digest(positions).firstWord
        var bytes = tip.log.bytes
        bytes.reserveCapacity(56 + positions.count)
        Self.append(tip.size, to: &bytes)
        tip.root.withBytes { bytes.append(contentsOf: $0) }
        digest = digester.digest(bytes + positions)
    }

    /// The digest of a whole state: SHA-256 over those of its tips, ascending.
    package static func digest(of states: some Collection<TipState>, _ digester: Digester)
        -> Bytes32
    {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32 * states.count)
        for state in states { state.digest.withBytes { bytes.append(contentsOf: $0) } }
        return digester.digest(bytes)
    }

    private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
