import Ledger
import TestSupport
import Testing

/// What a carrier of one's own is made of; the lines also stand in the documentation of the types.
@Suite struct ExamplesOfReplication {
    private let temporary = TemporaryDirectory()
    private let ledger: Ledger

    init() throws {
        ledger = try Ledger.create(at: temporary.path + "/phone").ledger
    }

    @Test func `a tablet joins by an invitation that is typed or scanned`() throws {
        let directory = temporary.path + "/tablet"
        let text = try ledger.invite(name: "tablet", addresses: ["phone.example:7777"]).text
        let invitation = try Invitation(text)
        let tablet = try Ledger.join(invitation, at: directory)
        let id: LedgerID = tablet.id
        #expect(id == ledger.id && tablet.replica != ledger.replica)
        #expect(throws: LedgerError(.malformed, "")) { try Invitation(String(text.dropLast())) }
    }

    @Test func `invitations that nobody came with yet can be listed and revoked`() throws {
        let made = try ledger.invite(name: "tablet")
        var lines: [String] = []
        for invited: IssuedInvitation in try ledger.invitations() where invited.state == .waiting {
            lines.append("\(invited.name ?? invited.id) until \(invited.expires)")
        }
        #expect(lines == ["tablet until \(made.expires ?? 0)"])
        for invited in try ledger.invitations() { try ledger.revokeInvitation(invited.id) }
        let states: [IssuedInvitation.State] = try ledger.invitations().map(\.state)
        #expect(states == [.revoked])
        let outcome: JoinOutcome = .used
        #expect("\(outcome)" == "used")
    }

    @Test func `the recovery key is printed once and kept off the machine`() throws {
        let directory = temporary.path + "/another"
        let recoveryKey: RecoveryKey = try Ledger.create(at: directory).recoveryKey
        let paper = recoveryKey.description
        #expect(recoveryKey.seed.count == 32 && paper.utf8.count == 52)
    }

    /// Takes into `ledger` what it lacks of another replica's events.
    private func pull(from other: Ledger, into ledger: Ledger) throws -> Int {
        var newEvents = 0
        for tip: Tip in try other.tips() {
            if try ledger.holds(tip) { continue }
            let intervals: [Interval] = try other.intervals(of: tip, from: 0, bytesMax: 1 << 20)
            for result in try ledger.ingest(intervals) {
                let receipt: IngestReceipt = try result.get()
                newEvents += receipt.newEvents
            }
        }
        return newEvents
    }

    @Test func `two replicas are the same once each took what it lacked`() throws {
        let tablet = try Ledger.join(try ledger.invitation(), at: temporary.path + "/tablet")
        try ledger.append(.allowed("me", resource: "camera", at: phone))
        let id = try #require(tablet.replica)
        try ledger.admit(id, name: "tablet")
        #expect(try pull(from: ledger, into: tablet) == 3)
        #expect(try pull(from: tablet, into: ledger) == 1)
        #expect(try ledger.stateDigest() == tablet.stateDigest())
        #expect(try pull(from: ledger, into: tablet) == 0)
        let log: LogID? = ledger.log
        #expect(try log.map { try tablet.author(of: $0) } == ledger.replica)
    }

    @Test func `a payload may stay behind and follow later`() throws {
        let tablet = try Ledger.join(try ledger.invitation(), at: temporary.path + "/tablet")
        let answer = try ledger.append(.allowed("me", resource: "camera", at: phone)).event
        let tip = try #require(try ledger.tips().first)
        let full = try #require(try ledger.intervals(of: tip, from: 0, bytesMax: 1 << 20).first)

        let last = try #require(full.events.last)
        let body: StoredEvent.Body? = last.body
        let bare = StoredEvent(header: last.header, body: nil)
        let part = Interval(
            first: full.first, events: full.events.dropLast() + [bare],
            checkpoint: full.checkpoint)
        #expect(try tablet.ingest([part]).map { try $0.get().newEvents } == [2])
        #expect(body?.payload == answer.payloadBytes && body?.salt == answer.salt)
        #expect(try tablet.event(answer.id)?.event.content == .missing)
        #expect(try tablet.missingPayloads(of: tip) == [1])
        #expect(try tablet.ingest([full]).map { try $0.get().newPayloads } == [1])
        #expect(try tablet.event(answer.id)?.event == answer)
    }

    @Test func `a log with more than one past is shown with its branches`() throws {
        let origin = try TestLedger()
        let third = try origin.joined()
        let clones = try Clones(2, of: origin).ledgers
        for clone in clones {
            try clone.append(.denied("me", resource: "camera", at: phone))
            try Exchange.pull(from: clone, into: third.ledger)
        }
        let ledger = third.ledger
        var report: [(LogID, [UInt64], Bool)] = []
        let forks: [Fork] = try ledger.forks()
        for fork in forks {
            let branches: [Fork.Branch] = fork.branches
            report.append((fork.log, branches.map(\.sharedSize), fork.isHealed))
        }
        #expect(forks.count == 1 && report.first?.1 == [2, 2])
    }

    @Test func `every log says why it was opened`() throws {
        let epochs: [Epoch] = try ledger.epochs()
        let own = epochs.filter { $0.opening.replica == ledger.replica }
        let reasons = own.map(\.opening.reason)
        #expect(reasons == [.new])
    }

    @Test func `the first event of a log says whose it is and why it was opened`() throws {
        var filter = HistoryFilter()
        filter.kinds = [.logOpened]
        var openings: [LogOpening] = []
        try ledger.history(filter) { entry in
            if case .opening(let opening) = entry.event.content { openings.append(opening) }
            return true
        }
        let opening = try #require(openings.first)
        let founding: LogOpening.Founding? = opening.founding
        let earlier: LogOpening.Continuation? = opening.continues
        let reason: LogOpening.Reason = opening.reason
        #expect(opening.replica == ledger.replica && founding != nil && earlier == nil)
        #expect(reason == .new)
    }

    @Test func `an erasure tells who has confirmed it`() throws {
        let test = try TestLedger()
        let ledger = test.ledger
        try ledger.append(.allowed("ada", resource: "camera", at: phone))
        let erasure: Erasure = try ledger.erase("ada")
        let first: Erasure.Statement? = erasure.statements.first
        let confirmed = erasure.statements.map(\.replica)
        if !erasure.isScrubbedHere { try ledger.finishErasures() }
        #expect(first?.confirms == nil)
        #expect(confirmed == [try #require(ledger.replica)])
    }
}
