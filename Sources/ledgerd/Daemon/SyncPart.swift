internal import Ledger
internal import SyncEngine
internal import Synchronization

/// The daemon's peers: the service that merges with them, and what is counted and logged of it.
final class SyncPart: Sendable {
    private let daemon: Daemon
    private let service: SyncService
    private let peers: Mutex<[PeerAddress]>
    /// Those whose first merge since they connected was told.
    private let merged = Mutex<Set<ReplicaID>>([])

    init(
        _ daemon: Daemon, _ config: DaemonConfig, _ activation: SocketActivation
    ) throws(Failure) {
        self.daemon = daemon
        peers = Mutex(config.peers)
        var configuration = SyncConfiguration()
        configuration.listenAddresses = config.listen
        configuration.peers = config.peers
        service = SyncService(of: daemon.ledger, configuration)
        for passed in activation.forPeers { service.adopt(listening: passed.descriptor) }
    }

    func start() throws(Failure) {
        // Before it starts, so that nothing it says is missed.
        service.observe { [weak self] event in self?.note(event) }
        try liftedSync { () throws(SyncError) in try service.start() }
    }

    /// Calls the peers that are new, and no longer those that are gone.
    func reload(_ config: DaemonConfig) {
        let old = peers.withLock { peers in
            defer { peers = config.peers }
            return peers
        }
        let kept = Set(config.peers.map(\.replica))
        for peer in old where !kept.contains(peer.replica) { service.remove(peer.replica) }
        for peer in config.peers where !old.contains(peer) { service.add(peer) }
    }

    func callNow() { service.callNow() }

    func stop() { service.stop() }

    // MARK: What happens

    private func note(_ event: SyncEvent) {
        let log = daemon.log
        switch event {
        case .listening(let address):
            log.info("listening for peers", ["address": .place("\(address)")])
        case .calling(let peer): log.debug("calling a peer", ["peer": .replica(peer.replica)])
        case .connected(let peer):
            merged.withLock { _ = $0.remove(peer) }
            log.info("a peer is connected", ["peer": .replica(peer)])
        case .merged(let peer, let report): note(report, with: peer)
        case .disconnected(let peer, let error):
            guard let error else {
                log.info("a peer has gone", ["peer": .replica(peer)])
                return
            }
            daemon.metrics.countSession(error.code.description)
            log.info(
                "a connection with a peer failed",
                [
                    "peer": .replica(peer), "code": .word(error.code.description),
                    "message": .place(error.message),
                ])
        case .refusedStranger: log.debug("a stranger was refused")
        case .invitationShown(let replica, let outcome):
            let fields: DaemonLog.Fields = [
                "replica": .replica(replica), "outcome": .word(outcome.description),
            ]
            if outcome == .admitted {
                log.info("a replica came with an invitation", fields)
            } else {
                log.warning("an invitation was shown that is not good", fields)
            }
        case .troubled(let error):
            daemon.note("peers", Failure(error))
            log.failure(.warning, "the peers' service met a difficulty", Failure(error))
        }
    }

    private func note(_ report: SyncReport, with peer: ReplicaID) {
        daemon.note("peers", nil)
        let outcome = report.failure?.code.description ?? (report.isInSync ? "inSync" : "notInSync")
        daemon.metrics.countSession(outcome)
        for item in report.setAside { daemon.noteSetAside(item.reason, log: item.log) }
        for log in report.forks {
            daemon.log.warning("a log has forked; both branches are kept", ["log": .log(log)])
        }
        let values: DaemonLog.Fields = [
            "peer": .replica(peer), "outcome": .word(outcome),
            "received": .number(Int64(report.eventsReceived)),
            "sent": .number(Int64(report.eventsSent)),
            "setAside": .number(Int64(report.setAsideCount)),
        ]
        // What passes later, event by event, would fill the log.
        let isFirst = merged.withLock { $0.insert(peer).inserted }
        if isFirst || !report.isInSync {
            daemon.log.info("merged with a peer", values)
        } else {
            daemon.log.debug("merged with a peer", values)
        }
    }

    // MARK: How things stand

    /// The peers as the service sees them.
    var states: [PeerState] { service.snapshot().peers }

    /// How many peers there are, and how many of them are connected.
    var counts: (known: Int, connected: Int) {
        let peers = service.snapshot().peers
        return (peers.count, peers.count { $0.phase == .connected })
    }

    /// The peers as they are now.
    func report() -> PeersReport {
        let snapshot = service.snapshot()
        let held = PeerProgress.held(daemon.ledger)
        let now = SystemClock.monotonicNanoseconds() / 1_000_000
        return PeersReport(
            peers: snapshot.peers.map { PeersReport.Peer($0, held: held, now: now) },
            listening: snapshot.listening.map(\.description),
            strangersRefused: snapshot.strangersRefused)
    }
}

extension Daemon {
    /// Counts something that was not taken, and says so.
    func noteSetAside(_ reason: SyncError, log item: LogID?, file: String? = nil) {
        metrics.countSetAside(reason.code.description)
        let code = DaemonLog.Value.word(reason.code.description)
        let message = DaemonLog.Value.place(reason.message)
        if let item {
            log.warning("set aside", ["log": .log(item), "code": code, "message": message])
        } else if let file {
            log.warning("set aside", ["file": .place(file), "code": code, "message": message])
        } else {
            log.warning("set aside", ["code": code, "message": message])
        }
    }
}
