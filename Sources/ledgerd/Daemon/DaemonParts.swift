internal import Ledger

/// What the daemon serves, started together and stopped together.
final class DaemonParts {
    private static let stopMilliseconds: Int64 = 2000

    let controlPath: String
    private let daemon: Daemon
    private let control: ControlServer
    private let metrics: MetricsServer?
    private let sync: SyncPart
    private let folders: FolderPart

    /// - Throws: `inUse` and the like where an address cannot be had.
    init(
        _ daemon: Daemon, _ config: DaemonConfig, _ activation: SocketActivation
    ) throws(Failure) {
        self.daemon = daemon
        controlPath = SyncedFolder.absolute(
            config.control ?? "\(daemon.directory)/control.sock")
        if let passed = activation.socket(named: "control") {
            control = try ControlServer(passed: passed, daemon)
        } else {
            control = try ControlServer(at: controlPath, daemon)
        }
        if let passed = activation.socket(named: "metrics") {
            metrics = try MetricsServer(passed: passed, daemon)
        } else {
            metrics = try config.metrics.map { (address) throws(Failure) in
                try MetricsServer(at: address, daemon)
            }
        }
        sync = try SyncPart(daemon, config, activation)
        folders = try FolderPart(daemon, config)
        daemon.attach(sync, folders)
        try sync.start()
        try folders.start()
        try control.start()
        if let metrics {
            try metrics.start()
            daemon.log.info("metrics are served", ["port": .number(Int64(metrics.port))])
        }
    }

    /// Takes over what can change while the daemon runs.
    func reload(_ config: DaemonConfig) { sync.reload(config) }

    func stop() {
        // Clients first: what they asked for still needs the rest.
        let areDone = control.stop(milliseconds: Self.stopMilliseconds)
        if !areDone { daemon.log.warning("clients of the control socket did not end in time") }
        if !folders.stop(milliseconds: Self.stopMilliseconds) {
            daemon.log.warning("a folder did not end in time")
        }
        sync.stop()
        if let metrics { _ = metrics.stop(milliseconds: Self.stopMilliseconds) }
    }
}
