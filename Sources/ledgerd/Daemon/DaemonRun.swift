internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// One life of the daemon: start, serve, reload, stop.
struct DaemonRun: ~Copyable {
    private static let tickMilliseconds: Int64 = 500
    /// The service manager kills what is still there after its own, longer time.
    private static let stopMillisecondsMax: Int64 = 4500
    /// It lives beside others on a small machine, and most people's statuses are seldom asked for.
    private static let keysInMemory = 32_768

    private let call: Invocation
    private let directory: String
    private let log: DaemonLog
    private let wake: WakePipe
    private let notifier: ServiceNotifier
    private let activation: SocketActivation
    private var config: DaemonConfig

    /// Signals are taken from here on.
    init(
        _ call: Invocation, _ config: DaemonConfig, _ directory: String, _ log: DaemonLog
    ) throws(Failure) {
        (self.call, self.config, self.directory, self.log) = (call, config, directory, log)
        let wake = try WakePipe()
        self.wake = wake
        SignalWatch.start([SIGTERM, SIGINT, SIGHUP]) { number in
            wake.wake(UInt8(truncatingIfNeeded: number))
            return true
        }
        notifier = ServiceNotifier(call.console)
        activation = SocketActivation(call.console)
    }

    /// Runs until the daemon is asked to stop, or cannot go on.
    mutating func run() throws(Failure) -> ExitCode {
        let lock = try lockState()
        if let program = SyncedFolder.find(directory) {
            log.warning(
                "the state directory lies in a folder that another program copies; move it out",
                ["program": .word(program)])
        }
        let metrics = Metrics()
        let ledger = try open(metrics)
        let daemon = Daemon(ledger, directory, log, metrics, now: call.now)
        daemon.use(try catalog(of: config))
        let parts: DaemonParts
        do {
            parts = try DaemonParts(daemon, config, activation)
            try lock.announce(control: parts.controlPath)
        } catch {
            try? ledger.close()
            throw error
        }
        notifier.ready("Serving")
        log.info(
            "serving",
            [
                "directory": .place(directory), "control": .place(parts.controlPath),
                "version": .word(VersionCommand.number), "process": .number(Int64(getpid())),
            ])
        let exit = serve(daemon, parts)
        notifier.stopping()
        stop(daemon, parts)
        lock.retract()
        return exit
    }

    // MARK: Starting

    private func lockState() throws(Failure) -> StateLock {
        do {
            return try StateLock(directory)
        } catch {
            guard error.exit == .noInput else { throw error }
            throw Failure(
                .noInput, code: "notFound",
                "\(directory) is not there; run ledgerd init or ledgerd join, or name another "
                    + "place with --dir.")
        }
    }

    private func open(_ metrics: Metrics) throws(Failure) -> Ledger {
        var environment = call.console.ledgerEnvironment
        environment.onCommit = { metrics.addCommit(nanoseconds: $0) }
        environment.keyFile = credential
        environment.keysInMemory = Self.keysInMemory
        let ledger = try call.open(directory, .readWrite, environment)
        guard ledger.replica != nil else {
            throw Failure(
                .noPermission, code: "readOnly",
                "The replica's key is not in \(directory); put it back, or give it as the "
                    + "credential replica.key.")
        }
        return ledger
    }

    /// The replica's key as the service manager hands it over (systemd.exec(5), LoadCredential=).
    private var credential: String? {
        guard let folder = call.console.variable("CREDENTIALS_DIRECTORY") else { return nil }
        let path = "\(folder)/replica.key"
        return access(path, F_OK) == 0 ? path : nil
    }

    private func catalog(of config: DaemonConfig) throws(Failure) -> Catalog? {
        try config.catalog.map { (path) throws(Failure) in
            do throws(Failure) {
                return try call.catalog(at: path)
            } catch {
                throw Failure(.configuration, code: error.code, error.message)
            }
        }
    }

    // MARK: Serving

    private mutating func serve(_ daemon: Daemon, _ parts: DaemonParts) -> ExitCode {
        var signer = TailSigner()
        var pingedAt: Int64 = .min
        // A third of the manager's limit: two signs of life may be late.
        let pingEvery = notifier.watchdogMilliseconds.map { max(1, $0 / 3) }
        let tick = Int32(clamping: min(Self.tickMilliseconds, pingEvery ?? .max))
        while true {
            if !PosixIO.ready(reading: [wake.read], milliseconds: tick).isEmpty {
                let signals = wake.drain().map { Int32($0) }
                if signals.contains(SIGTERM) || signals.contains(SIGINT) {
                    log.info("asked to stop")
                    return .done
                }
                if signals.contains(SIGHUP) { reload(daemon, parts) }
            }
            let now = SystemClock.monotonicNanoseconds() / 1_000_000
            guard Self.signTail(daemon, &signer, now) else { return .damaged }
            // Only here, after the ledger's lock was to be had: a daemon that is stuck is no sign
            // of life.
            if let pingEvery, pingedAt == .min || now - pingedAt >= pingEvery {
                notifier.alive()
                pingedAt = now
            }
        }
    }

    /// Signs the tail once it is quiet; false when the ledger is damaged.
    private static func signTail(
        _ daemon: Daemon, _ signer: inout TailSigner, _ now: Int64
    ) -> Bool {
        do throws(LedgerError) {
            guard signer.isDue(try daemon.ledger.changeMark(), at: now) else { return true }
            try daemon.ledger.signTail()
            signer.done(try daemon.ledger.changeMark())
            daemon.note("signing", nil)
            daemon.log.debug("the tail of the own log is signed")
        } catch {
            signer.failed(at: now)
            daemon.note("signing", Failure(error))
            daemon.log.failure(.error, "cannot sign the tail of the own log", Failure(error))
            return error.code != .damaged
        }
        return true
    }

    private mutating func reload(_ daemon: Daemon, _ parts: DaemonParts) {
        notifier.reloading()
        defer { notifier.ready("Serving") }
        do throws(Failure) {
            let new = try DaemonConfig(call)
            daemon.use(try catalog(of: new))
            parts.reload(new)
            if !config.hasSameServices(as: new) {
                log.warning("some settings change only with a restart")
            }
            config = new
            log.info("settings and catalog were read again")
        } catch {
            log.failure(.error, "cannot read the settings again; the old ones stay", error)
        }
    }

    // MARK: Stopping

    private func stop(_ daemon: Daemon, _ parts: DaemonParts) {
        let log = log
        // What was acknowledged is durable already: past this time nothing is worth waiting for.
        let watch = PosixThread {
            _ = PosixIO.ready(reading: [], milliseconds: Int32(Self.stopMillisecondsMax))
            log.warning("stopped before everything had ended; what was acknowledged is durable")
            _exit(ExitCode.done.rawValue)
        }
        watch?.detach()
        parts.stop()
        do throws(LedgerError) { try daemon.ledger.close() } catch {
            log.failure(.error, "cannot sign and close the ledger", Failure(error))
        }
        log.info("stopped")
    }
}
