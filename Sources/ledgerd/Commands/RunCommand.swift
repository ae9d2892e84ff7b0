internal import Ledger

/// Runs the daemon.
enum RunCommand: Command {
    static let name = "run"

    static var spec: CommandSpec {
        CommandSpec(
            name: name,
            summary: "Run the daemon: merge with peers and folders, serve local programs",
            options: [
                .value(
                    "config", "FILE", kind: .file,
                    "A JSON file with the same settings; options win over it, lists add up.")
            ] + DaemonSetting.all.map(\.option),
            details: [
                "Runs in the foreground until SIGTERM or SIGINT, finishes what was acknowledged, "
                    + "and ends within 5 seconds. SIGHUP reads the configuration file and the "
                    + "catalog again. A second daemon on the same state directory is refused.",
                "The file's keys are: " + DaemonSetting.all.map(\.key).joined(separator: ", ")
                    + ". An unknown key is refused.",
                "Logs go to standard error and hold no subject, no payload and no key. Other "
                    + "programs record and ask through the control socket; docs/CONTROL.md tells "
                    + "how, docs/OPERATIONS.md tells the rest.",
                "A service manager should not start it again after 3, 64, 65, 66, 77 or 78.",
            ],
            examples: [
                "ledgerd run --listen tcp://0.0.0.0:7777 --folder ~/Dropbox/ledger "
                    + "--metrics 127.0.0.1:9464",
                "ledgerd run --config /etc/ledgerd.json",
            ],
            exitCodes: [.noPermission])
    }

    static func run(_ call: Invocation) throws(Failure) -> ExitCode {
        ProcessSafety.apply()
        let config = try DaemonConfig(call)
        // Others read the daemon's paths from wherever they are.
        let directory = SyncedFolder.absolute(
            try StateDirectory.path(option: config.directory, call.console))
        let log = DaemonLog(
            config.logFormat, config.logLevel, clock: call.console.ledgerEnvironment.wallClock)
        do {
            var run = try DaemonRun(call, config, directory, log)
            return try run.run()
        } catch {
            log.failure(.error, "cannot run", error)
            return error.exit
        }
    }
}
