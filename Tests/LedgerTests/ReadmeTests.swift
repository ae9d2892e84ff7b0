import Ledger
import SyncEngine
import TestSupport
import Testing

/// The README's code, run; the last test holds it to the README.
@Suite struct ReadmeTests {
    @Test func `the examples of the library do what they say`() throws {
        let place = TemporaryDirectory()
        let folder = TemporaryDirectory()
        let (ledger, recoveryKey) = try Ledger.create(at: place.path + "/consent")
        let phone = Place(device: "phone", install: "1")

        let asked = try ledger.append(.promptAsked("me", resource: "camera", at: phone))
        var answer = Draft.allowed("me", resource: "camera", at: phone)
        answer.payload.answers = asked.event.id
        try ledger.append(answer)

        let status = try ledger.status(StatusQuery("me", resource: "camera", at: phone))
        print(status.status, status.reason, status.evidence)

        let catalog = try Catalog(readFrom: SourceTree.root + "/Examples/sample/catalog.json")
        let entry = FeatureEntry("scan-receipt", subject: "me", at: phone)
        let decision = try ledger.enter(entry, catalog: catalog) { _ in .reported(.authorized) }
        switch decision.action {
        case .proceed: print("scan")
        case .showPrimer: print(decision.screen?.primer?.text.title ?? "")
        case .askSystem: print("show the system's prompt")
        case .offerSettings, .useAlternative, .unavailable: print(decision.reason)
        }

        let report = try DropFolder(folder.path, of: ledger).sync()
        print(report.eventsImported)

        #expect(recoveryKey.seed.count == 32)
        #expect(status.status == .authorized)
        #expect(decision.action == .proceed)
        #expect(report.eventsImported == 0)
    }

    @Test func `every line of Swift in the README is a line of this test`() throws {
        let own = Set(
            try #require(SourceTree.read("Tests/LedgerTests/ReadmeTests.swift"))
                .split(separator: "\n").map(Self.trimmed))
        let readme = try #require(SourceTree.read("README.md"))
        let blocks = readme.split(separator: "```swift\n").dropFirst().map {
            $0.split(separator: "```")[0]
        }
        #expect(blocks.count == 3)
        // The places are the reader's.
        let places = [
            "let (ledger, recoveryKey) = try Ledger.create(at: \"/var/lib/example/consent\")",
            "let catalog = try Catalog(readFrom: \"catalog.json\")",
            "let report = try DropFolder(\"/home/me/Sync/consent\", of: ledger).sync()",
        ]
        for line in blocks.joined().split(separator: "\n").map(Self.trimmed) {
            #expect(own.contains(line) || places.contains(line), "README.md: \(line)")
        }
    }

    private static func trimmed(_ line: Substring) -> String {
        String(line.drop { $0 == " " })
    }
}
