internal import Ledger
internal import SyncEngine

/// How the peers of a daemon stand, as JSON and in words.
struct PeersReport: Sendable {
    /// The members, for help and the manual.
    static let fields: KeyValuePairs<String, String> = [
        "listening": "where peers can call; absent without a daemon",
        "strangersRefused": "callers that were no members; absent without a daemon",
        "peers": "one object a replica: peer (its id), logs and events (held here of what it "
            + "wrote), and from the daemon: address, phase (idle, calling, connected or waiting), "
            + "lastHeardSeconds (how long ago), inSync (whether both held the same when they "
            + "compared last), lagEvents (held here and not known to be held there; absent until "
            + "something is known), acknowledged (log, events known to be held there, held here; "
            + "those that lag first, at most 1,000 logs), eventsReceived, eventsSent, "
            + "bytesReceived, bytesSent, merges, setAsideCount, setAside (log, code and message "
            + "of what was not taken since it connected; at most 100), forks, failure (code and "
            + "message)",
        "invited": "one object an invitation of this replica that nobody came with yet: id, name, "
            + "expires",
    ]
    private static let logsMax = 1000
    private static let setAsideMax = 100

    /// One peer.
    struct Peer: Sendable {
        let state: PeerState
        /// Nil as long as nothing is known of what it holds.
        let progress: PeerProgress?
        let lastHeardSeconds: Int64?

        init(_ state: PeerState, held: [LogID: UInt64], now: Int64) {
            self.state = state
            progress =
                state.acknowledged.isEmpty ? nil : PeerProgress(state.acknowledged, of: held)
            lastHeardSeconds = state.lastHeard.map { max(0, now - $0) / 1000 }
        }

        func write(to writer: inout JSONWriter) {
            writer.field("address", ifPresent: state.address?.description)
            writer.field("phase", state.phase.description)
            if let lastHeardSeconds { writer.field("lastHeardSeconds", lastHeardSeconds) }
            writer.field("inSync", state.isInSync)
            if let progress { Self.write(progress, to: &writer) }
            writer.field("eventsReceived", state.eventsReceived)
            writer.field("eventsSent", state.eventsSent)
            writer.field("bytesReceived", state.bytesReceived)
            writer.field("bytesSent", state.bytesSent)
            writer.field("merges", state.merges)
            writer.field("setAsideCount", state.setAsideCount)
            writer.arrayField("setAside") { writer in
                for item in state.setAside.prefix(PeersReport.setAsideMax) {
                    writer.object { writer in
                        writer.field("log", ifPresent: item.log?.description)
                        writer.field("code", item.reason.code.description)
                        writer.field("message", item.reason.message)
                    }
                }
            }
            writer.arrayField("forks") { writer in
                for log in state.forks { writer.value(log.description) }
            }
            guard let failure = state.failure else { return }
            writer.objectField("failure") { writer in
                writer.field("code", failure.code.description)
                writer.field("message", failure.message)
            }
        }

        private static func write(_ progress: PeerProgress, to writer: inout JSONWriter) {
            writer.field("lagEvents", Int64(clamping: progress.lag))
            writer.arrayField("acknowledged") { writer in
                for one in progress.logs.prefix(PeersReport.logsMax) {
                    writer.object { writer in
                        writer.field("log", one.log.description)
                        writer.field("events", Int64(clamping: one.acknowledged))
                        writer.field("held", Int64(clamping: one.held))
                    }
                }
            }
        }
    }

    /// What is held here of a replica's own logs.
    struct Held: Sendable {
        var logs = 0
        var events: UInt64 = 0
    }

    let peers: [Peer]
    let listening: [String]
    let strangersRefused: Int

    /// Writes the members into the object that is open; `daemon` is nil where none runs.
    static func write(
        _ daemon: PeersReport?, of ledger: Ledger, to writer: inout JSONWriter
    ) throws(LedgerError) {
        var held: [ReplicaID: Held] = [:]
        let own = try ledger.ownReplica()
        for size in try ledger.logSizes() where size.author != own {
            held[size.author, default: Held()].logs += 1
            held[size.author, default: Held()].events += size.size
        }
        if let daemon {
            writer.arrayField("listening") { writer in
                for address in daemon.listening { writer.value(address) }
            }
            writer.field("strangersRefused", daemon.strangersRefused)
        }
        let states = Dictionary(
            (daemon?.peers ?? []).map { ($0.state.replica, $0) }, uniquingKeysWith: { $1 })
        writer.arrayField("peers") { writer in
            for replica in Set(held.keys).union(states.keys).sorted() {
                writer.object { writer in
                    writer.field("peer", replica.description)
                    writer.field("logs", held[replica]?.logs ?? 0)
                    writer.field("events", held[replica]?.events ?? 0)
                    states[replica]?.write(to: &writer)
                }
            }
        }
        let invited = try ledger.invitations().filter { $0.state == .waiting }
        writer.arrayField("invited") { writer in
            for one in invited {
                writer.object { writer in
                    writer.field("id", one.id)
                    writer.field("name", ifPresent: one.name)
                    writer.field("expires", TimeZoneRules.utc.text(one.expires))
                }
            }
        }
    }
}
