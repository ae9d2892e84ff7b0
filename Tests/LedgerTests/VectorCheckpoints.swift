@testable import Ledger

/// Signed notes over the sample log, and changed ones that must be refused.
struct VectorCheckpoints {
    let identity: VectorIdentity
    let checkpoints: [Checkpoint]

    init(_ events: VectorEvents) throws {
        identity = events.identity
        let digester = try Digester()
        let log = identity.logs[0]
        var frontier = MerkleFrontier()
        var checkpoints: [Checkpoint] = []
        for event in events.events(of: log) {
            frontier.append(event.id.raw, digester)
            if [1, 5].contains(frontier.size) || event.name == events.events(of: log).last?.name {
                checkpoints.append(
                    try Checkpoint.sign(
                        log: log, size: frontier.size, root: frontier.root(digester),
                        with: identity.founder))
            }
        }
        self.checkpoints = checkpoints
    }

    func json() -> JSON {
        .list(
            checkpoints.map {
                .object([
                    ("log", .hex($0.log.bytes)), ("size", .number(Int64($0.size))),
                    ("root", .hex($0.root.bytes)), ("signature", .hex($0.signature)),
                    ("note", .text($0.note(by: identity.replica))),
                ])
            })
    }

    /// Notes that must be refused, by what is wrong with them.
    func rejected() throws -> [(name: String, note: String)] {
        let checkpoint = checkpoints[1]
        let note = checkpoint.note(by: identity.replica)
        let lines = note.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        func changed(_ index: Int, _ line: String) -> String {
            var lines = lines
            lines[index] = line
            return lines.joined(separator: "\n")
        }
        let stranger = ReplicaID(raw: identity.recovery.publicKey)
        let foreign = try Checkpoint.sign(
            log: checkpoint.log, size: checkpoint.size, root: checkpoint.root,
            with: identity.recovery)
        var altered = checkpoint.signature
        altered[63] ^= 1
        let name = Checkpoint.originPrefix + checkpoint.log.description
        let other = Checkpoint.originPrefix + identity.logs[1].description
        return [
            ("empty", ""),
            ("no line break at the end", String(note.dropLast())),
            ("no blank line", note.replacing("\n\n", with: "\n")),
            ("carriage returns", note.replacing("\n", with: "\r\n")),
            ("another origin", changed(0, "consent-ledger/2/" + checkpoint.log.description)),
            ("the origin of another log", changed(0, other)),
            ("an origin in upper case", changed(0, lines[0].uppercased())),
            ("another size", changed(1, "6")),
            ("a size with a leading zero", changed(1, "05")),
            ("a size with a sign", changed(1, "+5")),
            ("a size over 64 bits", changed(1, "18446744073709551621")),
            (
                "a root of 31 bytes",
                changed(2, Crypto.base64(Array(checkpoint.root.bytes.dropLast())))
            ),
            ("a root that is not base64", changed(2, "?" + lines[2].dropFirst())),
            ("an extension line", changed(2, lines[2] + "\nextension")),
            ("no signature", lines.prefix(4).joined(separator: "\n") + "\n"),
            (
                "an altered signature",
                Checkpoint(
                    log: checkpoint.log, size: checkpoint.size, root: checkpoint.root,
                    signature: altered
                ).note(by: identity.replica)
            ),
            ("the signature of another key", foreign.note(by: stranger)),
            (
                "the signature of another key under this one's id",
                foreign.note(by: identity.replica)
            ),
            ("a hyphen for the dash", changed(4, "-" + lines[4].dropFirst())),
            ("the key name of another log", changed(4, lines[4].replacing(name, with: other))),
        ]
    }
}
