/// Checks which subject payloads are about, with one keyed hash per subject and not per event.
struct TagCheck {
    private var tags: SubjectTagger
    /// The name last seen under a tag, which that tag is right for.
    private var known = DigestTable<KeyDigest>()
    private static let knownMax = 65_536

    init(_ tags: SubjectTagger) { self.tags = tags }

    /// Whether a payload is about the subject that its header names by tag.
    mutating func isAbout(_ header: EventHeader, _ body: ScannedBody) throws(LedgerError) -> Bool {
        guard case .payload(let scan) = body else { return true }
        guard let subject = scan.subject else {
            // A kind this version does not know may name its subject another way.
            return header.subjectTag == .none || !header.kind.isKnown
                || body.isKeptWhenErased(header.kind)
        }
        // Whom it erases must not stand in what is kept for good.
        guard header.kind != .erased else { return false }
        let name = KeyDigest(subject)
        if known[header.subjectTag.digest] == name { return true }
        let tag = try tags.tag(String(decoding: subject, as: UTF8.self))
        guard tag == header.subjectTag else { return false }
        if known.count >= Self.knownMax { known = DigestTable() }
        known.put(name, tag.digest)
        return true
    }
}
