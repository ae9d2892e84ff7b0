import Ledger
import Testing

/// The vocabulary of events; the lines also stand in the documentation of the types.
@Suite struct ExamplesOfWords {
    /// What a menu of a vocabulary's words offers.
    func titles<Vocabulary: Word>(of _: Vocabulary.Type) -> [String] {
        Vocabulary.allCases.map { $0.description }
    }

    @Test func `a vocabulary lists its words and reads them back`() {
        let scopes = titles(of: Scope.self)
        #expect(scopes == ["device", "person"])
        #expect(Scope("person") == .person && Scope("planet") == nil)
        #expect(titles(of: Authority.self).contains("guardian"))
        #expect(titles(of: CatalogUnitKind.self) == ["resource", "primer", "features"])
    }

    @Test func `statuses are ordered from the most restrictive to the widest`() {
        let found: [PermissionStatus] = [.authorized, .limited, .denied]
        let holds = found.min()
        #expect(holds == .denied && holds?.isGranting == false)
        #expect(PermissionStatus("limited") == .limited)
    }

    @Test func `an extent covers what is needed or leaves something out`() {
        let granted = Extent(time: .whenInUse, accuracy: .reduced)
        let need = Extent(time: .whenInUse, accuracy: .precise)
        let both = granted.intersection(need)
        #expect(!granted.covers(need) && Extent.full.covers(need))
        #expect(both == Extent("whenInUse+reduced") && both.description == "whenInUse+reduced")
    }

    @Test func `an extent has three dimensions to choose in`() {
        let times: [Extent.Time] = Extent.Time.allCases
        let accuracies: [Extent.Accuracy] = Extent.Accuracy.allCases
        let selections: [Extent.Selection] = Extent.Selection.allCases
        #expect(times.map { "\(Extent(time: $0))" } == ["whenInUse", "always"])
        #expect(accuracies.map { "\(Extent(accuracy: $0))" } == ["reduced", "precise"])
        #expect(selections.map { "\(Extent(selection: $0))" } == ["selected", "all"])
    }

    @Test func `a kind is known by name, or kept by its code`() {
        let kind = EventKind("answerGiven")
        let later = EventKind(code: 300)
        #expect(kind == .answerGiven)
        #expect(!later.isKnown && later.description == "unknown-300")
    }

    @Test func `revisions are compared as numbers and periods added to the calendar`() {
        let isNewer = Revision("1.10").map { ten in Revision("1.9").map { $0 < ten } }
        #expect(isNewer == true)
        let month = Period("P1M")
        let leapDay = month?.end(from: 1_706_659_200_000)  // 2024-01-31
        #expect(leapDay == 1_709_164_800_000)  // 2024-02-29
        #expect(Period(days: 30)?.description == "P30D")
    }

    @Test func `a timestamp orders events of one millisecond by its counter`() {
        let noon = Timestamp(milliseconds: 1_767_268_800_000)
        let next = Timestamp(value: noon.value + 1)
        #expect(noon < next && next.milliseconds == noon.milliseconds && next.counter == 1)
    }

    /// A short label for any of the ids.
    func label(_ id: some LedgerIdentifier) -> String { "\(id.short)…" }

    @Test func `ids are bytes with a meaning, printed in base32 and read back`() throws {
        let bytes = [UInt8](0..<32)
        let root = Bytes32(bytes)
        let id = try #require(EventID(bytes: bytes))
        #expect(root?.bytes == id.bytes && Bytes32(bytes.prefix(3)) == nil)
        #expect(label(id) == "aaaqeayeau…")
        #expect(ReplicaID(id.description)?.bytes == bytes)
        #expect(LedgerID(bytes: bytes) == nil)
        #expect(LogID(bytes: bytes.prefix(16))?.bytes == Bytes16(bytes.prefix(16))?.bytes)
    }
}
