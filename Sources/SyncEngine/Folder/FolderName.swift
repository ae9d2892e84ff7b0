internal import Ledger

/// Names of files in a drop folder: lower-case letters, digits and `-` alone, so that no system
/// takes two for one or one for two.
enum FolderName {
    static let temporaryPrefix = ".cl-tmp-"

    static func ledgerDirectory(_ ledger: LedgerID) -> String { "cl-\(ledger)" }
    static func replicaDirectory(_ replica: ReplicaID) -> String { "r-\(replica)" }

    static func segment(_ prologue: SegmentPrologue, contentHash: some Collection<UInt8>) -> String
    {
        "s-\(prologue.log)-\(prologue.first)-\(prologue.count)-\(Base32.encode(contentHash))"
            + SegmentFormat.suffix
    }

    /// Of a letter: a letter of the alphabet, and half of the file's hash.
    static func letter(_ prefix: String, contentHash: some Collection<UInt8>) -> String {
        "\(prefix)-\(Base32.encode(contentHash)).cl\(prefix)"
    }

    static func isLetter(_ name: String, prefix: String) -> Bool {
        let model = letter(prefix, contentHash: [UInt8](repeating: 0, count: 16))
        return name.utf8.count == model.utf8.count && name.hasPrefix("\(prefix)-")
            && name.hasSuffix(".cl\(prefix)")
    }

    static func isTemporary(_ name: String) -> Bool { name.hasPrefix(temporaryPrefix) }

    /// iCloud's stand-in for a file that was not downloaded: `.name.icloud`.
    static func isPlaceholder(_ name: String) -> Bool {
        name.hasPrefix(".") && name.hasSuffix(".icloud")
    }

    /// The range that a placeholder of a segment stands for, as its name tells; without a root.
    static func placeholder(_ name: String, of ledger: LedgerID) -> SegmentPrologue? {
        let parts = name.lowercased().split(separator: "-", omittingEmptySubsequences: false)
        guard isPlaceholder(name), parts.count == 5, parts[0] == ".s",
            let log = LogID(String(parts[1])), let first = UInt64(parts[2]),
            let count = UInt64(parts[3]), count > 0, count <= WireLimits.sizeMax,
            first <= WireLimits.sizeMax - count
        else { return nil }
        return SegmentPrologue(
            ledger: ledger, log: log, first: first, count: count, root: .zero, keyGeneration: 0,
            salt: [], contentLength: 0)
    }

    /// A name as it may stand in a report: no control characters, not too long.
    static func printable(_ name: String) -> String {
        let scalars = name.unicodeScalars.prefix(200).map {
            $0.properties.generalCategory == .control || $0.properties.generalCategory == .format
                ? "\u{FFFD}" : $0
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension String {
    var lastComponent: String { split(separator: "/").last.map(String.init) ?? self }
}
