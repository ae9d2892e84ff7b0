public import Ledger
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Keeps a ledger merged with other replicas over sockets, for as long as it runs.
///
/// Connections stay open: what is recorded here, or comes in from one peer, passes to the others at
/// once, whoever called. Two replicas keep one connection; one that fails is made anew after a pause.
///
/// It has one thread of its own. Every method returns at once, but ``start()``, which looks up the
/// addresses to listen at, and ``stop()``, which waits for that thread. All may be called from any
/// thread.
///
/// ```swift
/// let service = SyncService(of: ledger, configuration)
/// let events = service.events
/// try service.start()
/// service.add(peer)
/// for await event in events {
///     if case .connected = event { break }
/// }
/// service.stop()
/// ```
public final class SyncService: Sendable {
    private enum Stage: Sendable {
        case new
        case running(ServiceShared, PosixThread)
        case stopped
    }

    private let log: any ReplicaLog
    private let configuration: SyncConfiguration
    private let makeContext: @Sendable () throws(SyncError) -> TLSContext
    private let shared: Result<ServiceShared, SyncError>
    private let stage = Mutex(Stage.new)
    private let adopted = Mutex<[Int32]>([])

    /// Makes a service that does nothing yet.
    ///
    /// - Parameters:
    ///   - ledger: what is merged; it stays open for as long as the service runs.
    ///   - configuration: with whom, where and within which bounds.
    public convenience init(
        of ledger: Ledger, _ configuration: SyncConfiguration = SyncConfiguration()
    ) {
        self.init(log: ledger, configuration) { () throws(SyncError) in
            try TLSContext(of: ledger)
        }
        if let shared = try? shared.get() {
            ledger.onAppend { [weak shared] in shared?.noteLogChange() }
        }
    }

    package init(
        log: any ReplicaLog, _ configuration: SyncConfiguration,
        makeContext: @escaping @Sendable () throws(SyncError) -> TLSContext
    ) {
        self.log = log
        self.configuration = configuration
        self.makeContext = makeContext
        shared = Result { () throws(SyncError) in try ServiceShared() }
    }

    deinit { stop() }

    /// Takes over a socket that listens already, as systemd hands it in; call it before ``start()``.
    ///
    /// - Parameter descriptor: the socket; the service closes it.
    public func adopt(listening descriptor: Int32) { adopted.withLock { $0.append(descriptor) } }

    /// Listens, and begins to call the peers.
    ///
    /// - Throws: `inUse` where another process listens at an address, `notFound`, `notPossible` or
    ///   `invalid` for one that cannot be had, `notPossible` where the replica's key is not here;
    ///   `io`, `crypto`. Nothing runs then, and starting may be tried again.
    public func start() throws(SyncError) {
        try stage.withLock { (stage) throws(SyncError) in
            guard case .new = stage else {
                throw SyncError(.invalid, "A service starts once; make another one.")
            }
            let shared = try shared.get()
            // Made here too, so that a key that is missing is told to the caller.
            _ = try makeContext()
            let listeners = try openListeners()
            shared.update { $0.listening = listeners.map(\.address) }
            do throws(SyncError) {
                stage = .running(shared, try spawn(shared, listeners))
            } catch {
                for listener in listeners { listener.removeName() }
                throw error
            }
        }
    }

    private func openListeners() throws(SyncError) -> [ListeningSocket] {
        var listeners: [ListeningSocket] = []
        do throws(SyncError) {
            for address in configuration.listenAddresses {
                listeners += try ListeningSocket.open(address)
            }
            for descriptor in adopted.withLock({ $0 }) {
                listeners.append(try ListeningSocket.adopt(descriptor))
            }
        } catch {
            for listener in listeners { listener.removeName() }
            throw error
        }
        return listeners
    }

    private func spawn(
        _ shared: ServiceShared, _ listeners: [ListeningSocket]
    ) throws(SyncError) -> PosixThread {
        let (log, configuration, makeContext) = (log, configuration, makeContext)
        let thread = PosixThread {
            do throws(SyncError) {
                let loop = ServiceLoop(
                    log, configuration, shared, tls: try makeContext(), listeners: listeners)
                loop.run()
            } catch {
                shared.tell(.troubled(error))
                shared.endStreams()
            }
        }
        guard let thread else { throw .noThread }
        return thread
    }

    /// Says goodbye to all peers and ends the thread.
    ///
    /// What a peer acknowledged is durable there, and what was acknowledged to a peer is durable
    /// here. Waits for the batch that is being stored and up to
    /// ``SyncLimits/farewellMilliseconds``; the event streams end. Stopping twice does nothing.
    public func stop() {
        let running = stage.withLock { stage -> (ServiceShared, PosixThread)? in
            defer { stage = .stopped }
            guard case .running(let shared, let thread) = stage else { return nil }
            return (shared, thread)
        }
        guard let (shared, thread) = running else { return }
        shared.send(.stop)
        thread.join()
    }

    /// Calls a peer from now on, or at another address than before.
    ///
    /// - Parameter peer: whom to call, and where.
    public func add(_ peer: PeerAddress) { send(.add(peer)) }

    /// Stops calling a peer and ends the connection with it; it may still call.
    ///
    /// - Parameter replica: the peer's id.
    public func remove(_ replica: ReplicaID) { send(.remove(replica)) }

    /// Calls every peer that is not connected, whatever pause it is in, and compares with the others
    /// what both hold: ``PeerState/comparisons`` counts it.
    public func callNow() { send(.callNow) }

    /// Says that the ledger grew, so that peers hear of it at once; commits of other processes are
    /// noticed within ``SyncLimits/lookMilliseconds`` without it.
    public func logChanged() { if let shared = try? shared.get() { shared.noteLogChange() } }

    /// What happens from now on, for one reader.
    ///
    /// The newest 256 are kept until they are read. Each use gives a stream of its own, which ends
    /// when the service stops.
    public var events: AsyncStream<SyncEvent> {
        (try? shared.get())?.subscribe(buffering: 256)
            ?? AsyncStream { $0.finish() }
    }

    /// Has everything that happens told on the service's own thread, for callers that are not
    /// asynchronous.
    ///
    /// - Parameter observer: must be quick and must not call ``stop()``.
    public func observe(_ observer: @escaping @Sendable (SyncEvent) -> Void) {
        if let shared = try? shared.get() { shared.observe(observer) }
    }

    /// How things stand now; costs a copy.
    public func snapshot() -> SyncSnapshot { (try? shared.get())?.snapshot ?? SyncSnapshot() }

    private func send(_ command: ServiceShared.Command) {
        if let shared = try? shared.get() { shared.send(command) }
    }
}
