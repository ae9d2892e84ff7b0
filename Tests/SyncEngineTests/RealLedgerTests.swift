import TestSupport
import Testing

@testable import Ledger
@testable import SyncEngine

/// The same promises, kept over the ledger on disk.
@Suite(.serialized) struct RealLedgerTests {
    let phone: TestLedger
    let tablet: TestLedger
    let folder: TemporaryFolder

    enum Carrier: String, CaseIterable, Sendable { case memory, folder, socket }

    init() throws {
        folder = try TemporaryFolder()
        phone = try TestLedger()
        tablet = try phone.joined()
    }

    static func record(_ count: Int, in ledger: Ledger, from start: Int = 0) throws {
        for index in start..<(start + count) {
            let place = Place(device: "device-\(index % 3)", install: "1")
            try ledger.append(.allowed("person-\(index % 7)", resource: "camera", at: place))
        }
    }

    func exchange(_ left: Ledger, _ right: Ledger, by carrier: Carrier) throws {
        switch carrier {
        case .memory:
            try merge(left, right)
        case .folder:
            for ledger in [left, right, left] { try DropFolder(folder.path, of: ledger).sync() }
        case .socket:
            let path = "\(folder.path)/s"
            let listener = try UnixSocketListener(path, of: left)
            let serving = Worker { try listener.serveOne() }
            #expect(try UnixSocketSync(path, of: right).sync().isInSync)
            #expect(try serving.join()??.isInSync == true)
            listener.close()
        }
    }

    @Test(arguments: Carrier.allCases, [false, true])
    func `phone and tablet agree after one exchange`(carrier: Carrier, turned: Bool) throws {
        try Self.record(30, in: phone.ledger)
        try Self.record(20, in: tablet.ledger, from: 100)
        let (left, right) = turned ? (tablet, phone) : (phone, tablet)
        try exchange(left.ledger, right.ledger, by: carrier)
        #expect(try left.ledger.tips() == right.ledger.tips())
        #expect(try left.ledger.tips().count == 2)
        #expect(try left.ledger.stateDigest() == right.ledger.stateDigest())
        try Self.record(1, in: right.ledger)
        try exchange(left.ledger, right.ledger, by: carrier)
        #expect(try left.ledger.stateDigest() == right.ledger.stateDigest())
    }

    @Test(arguments: Carrier.allCases)
    func `a withdrawal made apart beats a grant made at the same time`(carrier: Carrier) throws {
        let place = Place(device: "phone", install: "1")
        func draft(_ allowed: Bool) -> Draft {
            var draft: Draft =
                allowed
                ? .allowed("me", resource: "newsletter", at: place)
                : .denied("me", resource: "newsletter", at: place)
            draft.payload.scope = .person
            return draft
        }
        try phone.ledger.append(draft(true))
        try exchange(phone.ledger, tablet.ledger, by: carrier)
        try tablet.ledger.append(draft(false))
        phone.clock.advance(minutes: 1)
        try phone.ledger.append(draft(true))
        try exchange(phone.ledger, tablet.ledger, by: carrier)
        for replica in [phone, tablet] {
            let query = StatusQuery("me", resource: "newsletter", at: nil)
            #expect(try replica.ledger.status(query).status == .denied)
        }
    }

    @Test func `a session over the real log survives a cut anywhere`() throws {
        try Self.record(12, in: phone.ledger)
        try Self.record(5, in: tablet.ledger)
        _ = try phone.ledger.tips()
        for cut in stride(from: 1, to: 4000, by: 131) {
            var link = Link(phone.ledger, tablet.ledger)
            _ = try link.run(cut: cut)
            try Self.record(1, in: phone.ledger)
        }
        #expect(try merge(phone.ledger, tablet.ledger).isInSync)
        #expect(try phone.ledger.tips() == tablet.ledger.tips())
    }

    @Test(arguments: Carrier.allCases, [false, true])
    func `a copied directory goes on in a log of its own, at the latest when both meet`(
        carrier: Carrier, isNoticed: Bool
    ) throws {
        try Self.record(5, in: phone.ledger)
        try phone.ledger.close()
        let copy = try folder.makeDirectory("copy")
        for file in try folder.files(under: phone.path) {
            try folder.write(try folder.read(file), to: "\(copy)/\(file.lastComponent)")
        }
        var environment = phone.clock.environment
        if !isNoticed {
            // As on a virtual machine that was cloned.
            let identity = FileIdentity(of: phone.path + "/ledger.db")
            environment.fileIdentity = { _ in identity }
        }
        let original = try Ledger(openAt: phone.path, environment: environment)
        let other = try Ledger(openAt: copy, environment: environment)
        try Self.record(2, in: original, from: 50)
        try Self.record(3, in: other, from: 80)
        try exchange(original, other, by: carrier)
        try exchange(original, other, by: carrier)
        #expect(try original.tips() == other.tips())
        #expect(try original.forks().count == (isNoticed ? 0 : 1))
        #expect(try original.forks().allSatisfy { $0.isHealed && $0.branches.count == 2 })
        #expect(original.log != other.log)
        #expect(try original.tips().count == (isNoticed ? 2 : 4))
        try Self.record(1, in: original, from: 90)
        try Self.record(1, in: other, from: 91)
        try exchange(original, other, by: carrier)
        #expect(try original.tips().count == (isNoticed ? 2 : 4))
    }

    @Test(arguments: [Int64(0), 4_000_000_000_000, 1 << 46])
    func `an interval from any time is taken`(milliseconds: Int64) throws {
        try merge(phone.ledger, tablet.ledger)
        phone.clock.milliseconds = milliseconds
        try Self.record(3, in: phone.ledger)
        phone.clock.milliseconds = 1_767_225_600_000
        #expect(try merge(tablet.ledger, phone.ledger).isInSync)
        #expect(try tablet.ledger.tips() == phone.ledger.tips())
    }

    @Test func `thousands of events pass by folder and session alike`() throws {
        for start in stride(from: 0, to: 5000, by: 1000) {
            try phone.ledger.append(
                (start..<(start + 1000)).map {
                    .allowed("person-\($0)", resource: "camera", at: TestSupport.phone)
                })
        }
        let third = try phone.joined()
        try exchange(phone.ledger, tablet.ledger, by: .folder)
        let report = try merge(tablet.ledger, third.ledger)
        #expect(report.isInSync && report.eventsSent == 5004)
        #expect(try third.ledger.tips().count == 3 && third.ledger.verify().isSound)
    }
}
