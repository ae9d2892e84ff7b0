import Ledger

/// The phone's part of a day, through the library: what an app does each time a feature opens.
///
/// Usage: `Day STATE-DIRECTORY CATALOG-FILE`
@main
enum Day {
    static func main() {
        guard CommandLine.arguments.count == 3 else {
            print("usage: Day STATE-DIRECTORY CATALOG-FILE")
            return
        }
        do throws(LedgerError) {
            try play(CommandLine.arguments[1], catalogFile: CommandLine.arguments[2])
        } catch {
            print("failed: \(error.message)")
        }
    }

    static func play(_ directory: String, catalogFile: String) throws(LedgerError) {
        let ledger = try Ledger(openAt: directory)
        let catalog = try Catalog(readFrom: catalogFile)
        let phone = Place(device: "phone", install: "1")
        var system = PermissionStatus.notDetermined

        func enter(retry: Bool = false) throws(LedgerError) -> Decision {
            var entry = FeatureEntry("scan-receipt", subject: "me", at: phone)
            entry.retry = retry
            entry.languages = ["de", "en"]
            let decision = try ledger.enter(entry, catalog: catalog) { _ in .reported(system) }
            print("  enter scan-receipt → \(decision.action) (\(decision.reason))")
            return decision
        }

        let first = try enter()
        guard let primer = first.screen?.primer else { return }
        print("  the primer says: “\(primer.text.title)” [\(primer.text.continueTitle)]")

        var shown = Draft.primerShown("me", resource: "camera", at: phone)
        shown.payload.primer = primer.id
        shown.payload.unit = primer.unit
        shown.payload.locale = primer.text.language
        try ledger.append(shown)
        var continued = Draft.answered("me", resource: "camera", at: phone, .continued)
        continued.payload.unit = primer.unit
        try ledger.append(continued)

        guard try enter().action == .askSystem else { return }
        let asked = try ledger.append(.promptAsked("me", resource: "camera", at: phone))
        // Here the app calls the system; the person taps “Allow”.
        system = .authorized
        var answer = Draft.allowed("me", resource: "camera", at: phone)
        answer.payload.answers = asked.event.id
        try ledger.append(answer)
        _ = try enter()
        try ledger.close()
    }
}
