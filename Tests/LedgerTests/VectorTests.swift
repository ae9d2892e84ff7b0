import Testing

@testable import Ledger

/// The golden vectors of the format: what the fixed samples encode to, and what must be refused.
///
/// `UPDATE_VECTORS=1 swift test --filter VectorTests` writes the files anew; the independent
/// decoder in `Tests/Independent` then has to agree with them.
@Suite struct VectorTests {
    @Test(arguments: ["identity", "events", "tree", "checkpoints", "accepted", "rejected"])
    func `the samples encode to the vectors, byte for byte`(name: String) throws {
        let text = try Self.json(name).rendered() + "\n"
        if VectorFile.isUpdating { #expect(VectorFile.write(text, name)) }
        let stored = try #require(VectorFile.read(name), "UPDATE_VECTORS=1 writes it")
        let pairs = zip(
            text.split(separator: "\n", omittingEmptySubsequences: false),
            stored.split(separator: "\n", omittingEmptySubsequences: false))
        for (line, (ours, theirs)) in pairs.enumerated() where ours != theirs {
            Issue.record("\(name).json line \(line + 1): \(theirs) stored, \(ours) computed")
            return
        }
        #expect(text == stored)
    }

    private static func json(_ name: String) throws -> JSON {
        let events = try VectorEvents()
        switch name {
        case "identity": return try events.identity.json()
        case "events": return events.json()
        case "tree": return try VectorTree(events.identity).json()
        case "checkpoints": return try VectorCheckpoints(events).json()
        case "accepted":
            return .object([
                ("headers", .list(VectorRejected.acceptedHeaders(events).map(\.json))),
                ("payloads", .list(VectorRejected.acceptedPayloads.map(item))),
            ])
        default:
            return .object([
                ("headers", .list(VectorRejected.headers(events).map(\.json))),
                ("payloads", .list(VectorRejected.payloads.map(item))),
                ("openings", .list(VectorRejected.openings(events.identity).map(item))),
                ("notes", .list(try VectorCheckpoints(events).rejected().map(named))),
                ("names", .list(VectorRejected.names.map(named))),
                ("base32", .list(VectorRejected.base32.map(named))),
            ])
        }
    }

    private static func item(_ item: VectorRejected.Item) -> JSON {
        .object([("name", .text(item.name)), ("payload", .hex(item.bytes))])
    }

    private static func named(_ item: (String, String)) -> JSON {
        .object([("name", .text(item.0)), ("text", .text(item.1))])
    }

    @Test func `every sample decodes to what it was made from`() throws {
        for event in try VectorEvents().events {
            #expect(try EventHeader(bytes: event.header.bytes) == event.header, "\(event.name)")
            let digester = try Digester()
            #expect(event.header.bytes.withUnsafeBytes { digester.leaf($0) } == event.id.raw)
            switch event.header.kind {
            case .logOpened:
                #expect(try LogOpening(encoded: event.payload).encoded == event.payload)
            case .memberAdmitted:
                #expect(try MemberAdmission(encoded: event.payload).encoded == event.payload)
            case .memberRemoved:
                #expect(try MemberRemoval(encoded: event.payload).encoded == event.payload)
            default:
                let payload = try Payload(encoded: event.payload)
                #expect(payload.hasUnknownFields == (event.meaning == nil), "\(event.name)")
                if !payload.hasUnknownFields { #expect(payload.encoded == event.payload) }
            }
        }
    }

    @Test func `what lies just inside the limits is taken`() throws {
        for header in VectorRejected.acceptedHeaders(try VectorEvents()) {
            #expect(try EventHeader(bytes: header.whole).bytes == header.whole, "\(header.name)")
        }
        for payload in VectorRejected.acceptedPayloads {
            #expect(throws: Never.self, "\(payload.name)") { try Payload(encoded: payload.bytes) }
        }
    }

    @Test func `a deviation from the format is refused`() throws {
        let events = try VectorEvents()
        let malformed = LedgerError(.malformed, "")
        for header in VectorRejected.headers(events) {
            #expect(throws: malformed, "\(header.name)") { try EventHeader(bytes: header.whole) }
        }
        for payload in VectorRejected.payloads {
            #expect(throws: malformed, "\(payload.name)") { try Payload(encoded: payload.bytes) }
        }
        for opening in VectorRejected.openings(events.identity) {
            #expect(throws: malformed, "\(opening.name)") { try LogOpening(encoded: opening.bytes) }
        }
        for name in VectorRejected.names {
            #expect(throws: LedgerError(.invalid, ""), "\(name.name)") {
                try Identifier.validate(name.text, field: "name")
            }
        }
        for text in VectorRejected.base32 {
            #expect(Base32.decode(text.text) == nil, "\(text.name)")
        }
    }

    @Test func `a checkpoint reads back from its note and a changed note is refused`() throws {
        let vectors = try VectorCheckpoints(try VectorEvents())
        let author = vectors.identity.replica
        for checkpoint in vectors.checkpoints {
            #expect(try Checkpoint(note: checkpoint.note(by: author), by: author) == checkpoint)
        }
        for note in try vectors.rejected() {
            #expect(throws: LedgerError.self, "\(note.name)") {
                try Checkpoint(note: note.note, by: author)
            }
        }
    }

    @Test(arguments: VectorTree.provenSizes)
    func `a proof holds for its own leaf, sizes and root alone`(size: Int) throws {
        let tree = try VectorTree(try VectorIdentity())
        let root = tree.root(size)
        for leaf in 0..<size where size < 1000 || [0, 1, 511, 512, 767, 998, 999].contains(leaf) {
            let proof = try tree.inclusionProof(leaf, size)
            func holds(_ proof: [Bytes32], at index: Int, in size: Int) -> Bool {
                MerkleTree.verifyInclusion(
                    proof, of: EventID(raw: tree.leaves[leaf]), at: UInt64(index),
                    size: UInt64(size), root: root)
            }
            #expect(holds(proof, at: leaf, in: size))
            #expect(!holds(proof + [.zero], at: leaf, in: size))
            #expect(!holds(proof, at: leaf ^ 1, in: size))
            #expect(proof.isEmpty || !holds(Array(proof.dropLast()), at: leaf, in: size))
            guard leaf > 0 else { continue }
            let consistency = try tree.consistencyProof(leaf, size)
            func agrees(_ proof: [Bytes32], from root: Bytes32, to other: Bytes32) -> Bool {
                MerkleTree.verifyConsistency(
                    proof, from: UInt64(leaf), root: root, to: UInt64(size), root: other)
            }
            #expect(agrees(consistency, from: tree.root(leaf), to: root))
            #expect(!agrees(consistency, from: tree.root(leaf - 1), to: root))
            #expect(!agrees(consistency, from: tree.root(leaf), to: .zero))
            #expect(!agrees(consistency + [.zero], from: tree.root(leaf), to: root))
        }
    }
}
