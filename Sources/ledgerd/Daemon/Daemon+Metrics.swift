internal import Ledger
internal import SyncEngine

extension Daemon {
    /// All metrics, as they are now.
    func metricsText() throws(Failure) -> String {
        var text = PrometheusText()
        text.family("build_info", .gauge, "Always 1; the version stands in the label.")
        text.sample(1, ["version": VersionCommand.number])
        text.family("start_time_seconds", .gauge, "When the daemon started, in Unix seconds.")
        text.sample(seconds: Double(startedAt) / 1000)
        text.family("log_events", .gauge, "Events held of each log, by its id.")
        for (log, size) in try logSizes() { text.sample(size, ["log": log.description]) }
        let counts = metrics.current
        text.family(
            "commit_duration_seconds", .histogram,
            "Time of a commit, nearly all of it the fsync of the write-ahead log.")
        text.histogram(counts.commits)
        text.family(
            "append_duration_seconds", .histogram,
            "Time from the request to record until all of it was durable.")
        text.histogram(counts.appends)
        text.family(
            "appended_events_total", .counter, "Events recorded through the control socket.")
        text.sample(counts.eventsAppended)
        text.family("control_requests_total", .counter, "Requests to the control socket.")
        for (request, count) in counts.requests.sorted(by: { $0.key < $1.key }) {
            text.sample(
                count,
                ["op": request.operation, "outcome": request.failed ? "refused" : "done"])
        }
        addSessions(counts, to: &text)
        if let peers { addPeers(peers.report(), to: &text) }
        addFiles(to: &text)
        return text.text
    }

    private func addSessions(_ counts: Metrics.Counts, to text: inout PrometheusText) {
        text.family("sessions_total", .counter, "Merges with peers, by how they ended.")
        for (outcome, count) in counts.sessions.sorted(by: { $0.key < $1.key }) {
            text.sample(count, ["outcome": outcome])
        }
        text.family("set_aside_total", .counter, "Things that a merge did not take, by reason.")
        for (reason, count) in counts.setAside.sorted(by: { $0.key < $1.key }) {
            text.sample(count, ["reason": reason])
        }
        text.family("folder_events_total", .counter, "Events that went through drop folders.")
        text.sample(counts.folderEventsReceived, ["direction": "received"])
        text.sample(counts.folderEventsSent, ["direction": "sent"])
    }

    private func addPeers(_ report: PeersReport, to text: inout PrometheusText) {
        let peers = report.peers.map { ($0.state.replica.description, $0) }
        text.family("peer_connected", .gauge, "1 while a peer is connected.")
        for (id, peer) in peers {
            text.sample(peer.state.phase == .connected ? 1 : 0, ["peer": id])
        }
        text.family(
            "peer_lag_events", .gauge,
            "Events held here that a peer is not known to hold.")
        for (id, peer) in peers {
            if let lag = peer.progress?.lag { text.sample(lag, ["peer": id]) }
        }
        text.family("peer_last_heard_seconds", .gauge, "How long ago a peer was heard.")
        for (id, peer) in peers {
            if let seconds = peer.lastHeardSeconds { text.sample(seconds, ["peer": id]) }
        }
        text.family("peer_bytes_total", .counter, "Bytes exchanged with a peer.")
        for (id, peer) in peers {
            text.sample(peer.state.bytesReceived, ["peer": id, "direction": "received"])
            text.sample(peer.state.bytesSent, ["peer": id, "direction": "sent"])
        }
        text.family("peer_events_total", .counter, "New events exchanged with a peer.")
        for (id, peer) in peers {
            text.sample(peer.state.eventsReceived, ["peer": id, "direction": "received"])
            text.sample(peer.state.eventsSent, ["peer": id, "direction": "sent"])
        }
        text.family("strangers_refused_total", .counter, "Callers that were no members.")
        text.sample(report.strangersRefused)
    }

    private func addFiles(to text: inout PrometheusText) {
        text.family("database_bytes", .gauge, "Size of each file of the database.")
        for name in ["ledger.db", "ledger.db-wal"] {
            text.sample(DiskSpace.size("\(directory)/\(name)") ?? 0, ["file": name])
        }
        text.family("disk_free_bytes", .gauge, "Room left on the disk that holds the ledger.")
        text.sample(DiskSpace.free(directory) ?? 0)
    }

    /// The longest chain of each log.
    private func logSizes() throws(Failure) -> [(LogID, UInt64)] {
        let chains = try lifted { () throws(LedgerError) in try ledger.logSizes() }
        let sizes = Dictionary(chains.map { ($0.log, $0.size) }, uniquingKeysWith: max)
        return sizes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
