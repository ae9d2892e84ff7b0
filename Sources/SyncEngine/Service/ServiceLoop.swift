internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The service's one thread: waits for sockets and time, and moves every connection on.
///
/// Ledger work is done here too, a batch at a time; a batch is bounded, so the others wait for
/// milliseconds. Whatever one connection does ends that connection alone.
final class ServiceLoop {
    /// A peer that is called, and when.
    struct Called {
        let address: PeerAddress
        var backOff: BackOff
        /// Nil while a call is being made or a connection is there.
        var nextCall: Int64?
        var isResolving = false
        /// Addresses of the host that were not tried yet.
        var untried: ArraySlice<InternetAddress> = []
    }

    let log: any ReplicaLog
    let configuration: SyncConfiguration
    let shared: ServiceShared
    let tls: TLSContext
    var listeners: [ListeningSocket]
    var connections: [Connection] = []
    var called: [ReplicaID: Called] = [:]
    /// Until when a peer that broke the protocol is left alone.
    var leftAlone: [ReplicaID: Int64] = [:]
    /// Accepting pauses until then, when the system has no descriptors left.
    var acceptingFrom: Int64 = .min
    let references = EventReferences()
    /// Something came in from a peer that the others may lack.
    var hasStored = false
    private var mark: [UInt8] = []
    private var nextLook: Int64 = .min
    private var isStopping = false
    /// Whether appends were told to sign what they add: somebody waits for it.
    private var isSigningAtOnce = false

    var now: Int64 { configuration.environment.monotonicMilliseconds() }
    var limits: SyncLimits { configuration.limits }

    init(
        _ log: any ReplicaLog, _ configuration: SyncConfiguration, _ shared: ServiceShared,
        tls: TLSContext, listeners: [ListeningSocket]
    ) {
        self.log = log
        self.configuration = configuration
        self.shared = shared
        self.tls = tls
        self.listeners = listeners
    }

    /// Runs until it is told to stop.
    func run() {
        begin()
        while !isStopping { turn() }
        farewell()
        shared.endStreams()
    }

    func begin() {
        for listener in listeners { shared.tell(.listening(listener.address)) }
        for peer in configuration.peers { add(peer) }
    }

    /// Does for everybody the little that is due, and waits only where nothing is.
    func turn() {
        obey()
        guard !isStopping else { return }
        let start = now
        lookAtLog(start)
        makeCalls(start)
        waitAndAdvance()
        let end = now
        for connection in connections { watchTime(connection, end) }
        settlePairs(end)
        for connection in connections { note(connection) }
        sweep(end)
        signAtOnce(connections.contains { $0.phase == .connected })
    }

    private func obey() {
        for command in shared.takeCommands() {
            switch command {
            case .add(let peer): add(peer)
            case .remove(let replica): remove(replica)
            case .callNow: callNow()
            case .stop: isStopping = true
            case .resolved(let replica, let result): resolved(replica, result)
            }
        }
    }

    // MARK: The ledger

    /// Notices what this process and others committed.
    private func lookAtLog(_ now: Int64) {
        var changed = shared.takeLogChange() || hasStored
        hasStored = false
        if changed || now >= nextLook {
            nextLook = now + limits.lookMilliseconds
            let newest = (try? log.changeMark()) ?? mark
            changed = changed || newest != mark
            mark = newest
        }
        if changed { logHasChanged() }
    }

    private func signAtOnce(_ isWanted: Bool) {
        guard isWanted != isSigningAtOnce else { return }
        isSigningAtOnce = isWanted
        // Where this fails the tail is signed as it leaves.
        try? log.signEachCommit(isWanted)
    }

    private func logHasChanged() {
        let start = now
        dropRemoved()
        for connection in connections { connection.noteLogChange(now: start) }
        for replica in called.keys.sorted() {
            guard called[replica]?.backOff.failures == 0, called[replica]?.nextCall != nil else {
                continue
            }
            called[replica]?.nextCall = start
        }
    }

    // MARK: Waiting

    private func waitAndAdvance() {
        var entries = [pollfd(fd: shared.waker.descriptor, events: Int16(POLLIN), revents: 0)]
        let isAccepting = now >= acceptingFrom
        for listener in listeners {
            let events = isAccepting ? Int16(POLLIN) : 0
            entries.append(pollfd(fd: listener.descriptor, events: events, revents: 0))
        }
        for connection in connections {
            var events: Int16 = 0
            if connection.wantsRead { events |= Int16(POLLIN) }
            if connection.wantsWrite { events |= Int16(POLLOUT) }
            // One that wants nothing is not watched: a hang-up would be reported without end.
            let descriptor = events == 0 ? -1 : connection.descriptor
            entries.append(pollfd(fd: descriptor, events: events, revents: 0))
        }
        // Other processes' commits and the deadlines are looked at in between.
        let isBusy = hasStored || connections.contains(where: \.isBusy)
        let wait = isBusy ? 0 : Int32(clamping: max(1, limits.lookMilliseconds))
        let count = poll(&entries, nfds_t(entries.count), wait)
        guard count > 0 else { return }
        if entries[0].revents != 0 { shared.waker.clear() }
        let ready = connections
        for (listener, entry) in zip(listeners, entries[1...]) where entry.revents != 0 {
            accept(listener)
        }
        for (connection, entry) in zip(ready, entries[(1 + listeners.count)...])
        where entry.revents != 0 {
            let events = Int32(entry.revents)
            let hasEnded = events & (POLLHUP | POLLERR | POLLNVAL) != 0
            connection.advance(
                canRead: events & POLLIN != 0 || hasEnded,
                canWrite: events & POLLOUT != 0 || hasEnded, now: now)
        }
    }

    // MARK: The end

    /// Says goodbye to all and gives the words a little time to leave.
    private func farewell() {
        for listener in listeners { listener.removeName() }
        listeners = []
        signAtOnce(false)
        let start = now
        for connection in connections { connection.leave(now: start) }
        connections.removeAll { $0.phase == .ended }
        while connections.contains(where: { $0.phase == .leaving }),
            now - start < limits.farewellMilliseconds
        {
            waitAndAdvance()
            connections.removeAll { $0.phase == .ended }
        }
        connections = []
    }
}
