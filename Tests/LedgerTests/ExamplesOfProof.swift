import Ledger
import TestSupport
import Testing

/// What an auditor checks without trusting the ledger; the lines also stand in the documentation
/// of the types.
@Suite struct ExamplesOfProof {
    private let test: TestLedger
    private var ledger: Ledger { test.ledger }

    init() throws { test = try TestLedger() }

    @Test func `anyone who trusts a checkpoint can check that an answer is in the log`() throws {
        let receipt = try ledger.append(.allowed("me", resource: "camera", at: phone))
        let proof: InclusionProof = try ledger.inclusionProof(of: receipt.event.id)
        let checkpoint: Checkpoint = proof.checkpoint
        let author: ReplicaID = proof.author
        let isInLog = MerkleTree.verifyInclusion(
            proof.path, of: proof.event, at: proof.sequence, size: checkpoint.size,
            root: checkpoint.root)
        let isSigned = checkpoint.isSigned(by: author)
        #expect(isInLog && isSigned)
        #expect(
            !MerkleTree.verifyInclusion(
                proof.path, of: proof.event, at: proof.sequence + 1, size: checkpoint.size,
                root: checkpoint.root))
    }

    @Test func `a header is read from the bytes that were proven`() throws {
        let receipt = try ledger.append(.allowed("me", resource: "camera", at: phone))
        let proof = try ledger.inclusionProof(of: receipt.event.id)
        let header = try EventHeader(bytes: proof.header)
        let tag: SubjectTag = header.subjectTag
        #expect(header.kind == .answerGiven && header.sequence == proof.sequence)
        #expect(tag != SubjectTag.none)
        #expect(throws: LedgerError(.malformed, "")) {
            try EventHeader(bytes: proof.header.dropLast())
        }
    }

    @Test func `all events of one person carry one tag and nobody's carry none`() throws {
        let first = try ledger.append(.promptAsked("me", resource: "camera", at: phone))
        let second = try ledger.append(.allowed("me", resource: "microphone", at: phone))
        let other = try ledger.append(.allowed("you", resource: "camera", at: phone))
        let tag: SubjectTag = first.event.header.subjectTag
        #expect(tag == second.event.header.subjectTag && tag != other.event.header.subjectTag)
    }

    @Test func `a checkpoint travels as the text of a signed note`() throws {
        let author = try #require(ledger.replica)
        let note = try ledger.sign().note(by: author)
        let checkpoint = try Checkpoint(note: note, by: author)
        #expect(checkpoint.size == 1 && checkpoint.log == ledger.log)
        let stranger = try TestLedger().ledger
        let other = try #require(stranger.replica)
        #expect(throws: LedgerError(.notVerified, "")) { try Checkpoint(note: note, by: other) }
    }

    @Test func `a log that only grew proves it to whoever kept an old checkpoint`() throws {
        let old: Checkpoint = try ledger.sign()
        try ledger.append(.allowed("me", resource: "camera", at: phone))
        let new: Checkpoint = try ledger.sign()
        let path: [Bytes32] = try ledger.consistencyProof(of: old.log, from: old.size, to: new.size)
        let onlyGrew = MerkleTree.verifyConsistency(
            path, from: old.size, root: old.root, to: new.size, root: new.root)
        #expect(onlyGrew)
        #expect(
            !MerkleTree.verifyConsistency(
                path, from: old.size, root: .zero, to: new.size, root: new.root))
    }

    @Test func `everything is computed again from stored bytes`() throws {
        try ledger.append(.allowed("me", resource: "camera", at: phone))
        let report: VerificationReport = try ledger.verify()
        let findings: [VerificationReport.Finding] = report.findings
        let logs: [VerificationReport.LogSummary] = report.logs
        #expect(report.isSound && findings.isEmpty && report.eventCount == 2)
        #expect(logs.map(\.size) == [2] && logs.first?.author == ledger.replica)
    }

    @Test func `a backup opens for reading and proves the same`() throws {
        let receipt = try ledger.append(.allowed("me", resource: "camera", at: phone))
        let file = test.directory.path + "/backup.db"
        try ledger.backup(to: file)
        let copy = try Ledger(openCopy: file)
        let proof = try copy.inclusionProof(of: receipt.event.id)
        #expect(copy.replica == nil && copy.id == ledger.id)
        #expect(proof == (try ledger.inclusionProof(of: receipt.event.id)))
    }
}
