@testable import Ledger

/// A log of a thousand headers that differ in nothing but their sequence, and its proofs.
struct VectorTree {
    let template: EventHeader
    let leaves: [Bytes32]
    let digester: Digester

    static let provenSizes = Array(1...9) + [20, 1000]

    init(_ identity: VectorIdentity) throws {
        let template = Self.header(identity.logs[1], 0)
        let digester = try Digester()
        self.template = template
        self.digester = digester
        leaves = (0..<1000).map { sequence in
            Self.header(identity.logs[1], sequence).bytes.withUnsafeBytes { digester.leaf($0) }
        }
    }

    private static func header(_ log: LogID, _ sequence: UInt64) -> EventHeader {
        EventHeader(
            log: log, sequence: sequence, timestamp: Timestamp(value: 1 << 32), kind: .promptAsked,
            isCritical: false, replaces: [], subjectTag: .none, payloadLength: 1,
            commitment: .zero)
    }

    func root(_ size: Int) -> Bytes32 {
        var frontier = MerkleFrontier()
        for leaf in leaves.prefix(size) { frontier.append(leaf, digester) }
        return frontier.root(digester)
    }

    private var source: MerkleTree.Source {
        let leaves = leaves
        return .init(
            leaves: { range in Array(leaves[Int(range.lowerBound)..<Int(range.upperBound)]) },
            subtree: { _ in nil })
    }

    func inclusionProof(_ leaf: Int, _ size: Int) throws -> [Bytes32] {
        try MerkleTree.inclusionProof(of: UInt64(leaf), size: UInt64(size), source, digester)
    }

    func consistencyProof(_ old: Int, _ size: Int) throws -> [Bytes32] {
        try MerkleTree.consistencyProof(from: UInt64(old), to: UInt64(size), source, digester)
    }

    private static func positions(_ size: Int) -> [Int] {
        size < 1000 ? Array(0..<size) : [0, 1, 511, 512, 767, 998, 999]
    }

    func json() throws -> JSON {
        var inclusions: [JSON] = []
        var consistencies: [JSON] = []
        for size in Self.provenSizes {
            for leaf in Self.positions(size) {
                let path = try inclusionProof(leaf, size)
                inclusions.append(
                    .object([
                        ("index", .number(Int64(leaf))), ("size", .number(Int64(size))),
                        ("proof", .list(path.map { .hex($0.bytes) })),
                    ]))
                guard leaf > 0 else { continue }
                let proof = try consistencyProof(leaf, size)
                consistencies.append(
                    .object([
                        ("old", .number(Int64(leaf))), ("size", .number(Int64(size))),
                        ("proof", .list(proof.map { .hex($0.bytes) })),
                    ]))
            }
        }
        return .object([
            ("template", .hex(template.bytes)),
            (
                "roots",
                .list(
                    (Array(0...20) + [1000]).map {
                        .object([("size", .number(Int64($0))), ("root", .hex(root($0).bytes))])
                    })
            ),
            ("inclusions", .list(inclusions)),
            ("consistencies", .list(consistencies)),
        ])
    }
}
