internal import Ledger
internal import SyncEngine
internal import Synchronization

/// The daemon's drop folders, a thread each.
final class FolderPart: Sendable {
    private let daemon: Daemon
    private let loops: [FolderLoop]
    private let workers: WorkerGroup
    private let answering: Answers

    /// How the scans of a folder that were asked for came out.
    struct Answer: Sendable {
        let path: String
        var count = 0
        /// That of the last one, and why it was no better.
        var outcome = SyncNow.Outcome.merged
        var reason: SyncError?

        mutating func add(_ step: FolderStep) {
            count += 1
            reason =
                step.report.map {
                    $0.publishFailure ?? $0.importFailure ?? $0.setAside.last?.reason
                }
                ?? step.notices.last?.reason
            outcome = step.report == nil ? .failed : reason == nil ? .merged : .partial
        }
    }

    /// Written by the folders' threads, read by those of clients.
    private final class Answers: Sendable {
        private let given: Mutex<[Answer]>

        init(_ paths: [String]) { given = Mutex(paths.map { Answer(path: $0) }) }

        var all: [Answer] { given.withLock { $0 } }

        func add(_ step: FolderStep, of path: String) {
            given.withLock { given in
                for place in given.indices where given[place].path == path {
                    given[place].add(step)
                }
            }
        }
    }

    /// - Throws: `usage` for a folder that lies in the state directory, or the other way round.
    init(_ daemon: Daemon, _ config: DaemonConfig) throws(Failure) {
        self.daemon = daemon
        workers = try WorkerGroup()
        var loops: [FolderLoop] = []
        let answers = Answers(config.folders)
        self.answering = answers
        for path in config.folders {
            // Whoever carries the folder would carry the database and the key.
            guard !SyncedFolder.overlap(path, daemon.directory) else {
                throw Failure(
                    .configuration, code: "configuration",
                    "The folder \(path) and the state directory must not lie in each other.")
            }
            let watcher = FolderWatcher(DropFolder(path, of: daemon.ledger))
            loops.append(
                try liftedSync { () throws(SyncError) in
                    try FolderLoop(watcher) { step in
                        if step.isAnswer { answers.add(step, of: path) }
                        Self.note(step, path, daemon)
                    }
                })
        }
        self.loops = loops
    }

    /// How the scans came out that were asked for, folder by folder.
    var answers: [Answer] { answering.all }

    func start() throws(Failure) {
        for loop in loops {
            guard workers.start({ loop.run() }) else {
                throw Failure(.io, code: "io", "The system has no thread left for a folder.")
            }
        }
    }

    func scan() { for loop in loops { loop.scan() } }

    func stop(milliseconds: Int64) -> Bool {
        for loop in loops { loop.stop() }
        return workers.wait(milliseconds: milliseconds)
    }

    private static func note(_ step: FolderStep, _ path: String, _ daemon: Daemon) {
        if let report = step.report { note(report, path, daemon) }
        for notice in step.notices {
            let part = "folder \(path)"
            switch notice.kind {
            case .setAside:
                if let reason = notice.reason {
                    daemon.noteSetAside(reason, log: notice.log, file: notice.file)
                }
            case .away, .publishingFails, .takingFails:
                let failure = notice.reason.map { Failure($0) }
                daemon.note(part, failure ?? Failure(.io, code: "io", "It cannot be used."))
                daemon.log.warning(
                    "a folder cannot be used as it should",
                    [
                        "folder": .place(path), "kind": .word(notice.kind.rawValue),
                        "message": .place(failure?.message ?? ""),
                    ])
            case .back, .publishingWorks, .takingWorks:
                daemon.note(part, nil)
                daemon.log.info(
                    "a folder can be used again",
                    ["folder": .place(path), "kind": .word(notice.kind.rawValue)])
            case .forked:
                if let log = notice.log {
                    daemon.log.warning(
                        "a log has forked; both branches are kept", ["log": .log(log)])
                }
            }
        }
    }

    private static func note(_ report: FolderReport, _ path: String, _ daemon: Daemon) {
        daemon.metrics.addFolder(
            received: report.eventsImported, sent: report.eventsPublished)
        for replica in report.admitted {
            daemon.log.info(
                "a replica came with an invitation",
                ["folder": .place(path), "replica": .replica(replica)])
        }
        if report.isMemoryRebuilt {
            daemon.log.warning(
                "the note of which files were read was damaged and is made anew",
                ["folder": .place(path)])
        }
        if report.requestsRefused > 0 {
            daemon.log.warning(
                "an invitation was shown that is not good",
                ["folder": .place(path), "requests": .number(Int64(report.requestsRefused))])
        }
        if let failure = report.joinFailure {
            daemon.log.failure(
                .warning, "the inviter does not admit this replica", Failure(failure))
        }
        guard report.eventsImported + report.eventsPublished > 0 else { return }
        daemon.log.info(
            "merged through a folder",
            [
                "folder": .place(path), "received": .number(Int64(report.eventsImported)),
                "sent": .number(Int64(report.eventsPublished)),
            ])
    }
}
