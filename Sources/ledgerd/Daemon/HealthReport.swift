internal import Ledger

/// Whether a ledger can do its work, and what keeps it from it.
struct HealthReport {
    /// The members, for help and the manual.
    static let fields: KeyValuePairs<String, String> = [
        "healthy": "whether nothing is wrong",
        "daemon": "whether a daemon answered; else the database was looked at",
        "events": "how many events are held", "logs": "how many chains of events are held",
        "diskFreeBytes": "room left on the disk that holds the ledger",
        "upSeconds": "how long the daemon has run; absent without one",
        "peers": "how many peers the daemon calls or was called by; absent without one",
        "peersConnected": "how many of them are connected; absent without a daemon",
        "problems": "code and message of what is wrong",
    ]
    /// Less than this, and the next commits may fail.
    private static let freeBytesMin: UInt64 = 64 << 20

    /// Something that is wrong.
    struct Problem: Sendable, Equatable {
        /// Its stable name.
        let code: String
        /// What it means and what to do.
        let message: String
    }

    var problems: [Problem] = []
    var daemonUpSeconds: Int64?
    /// Peers of the daemon; that one is away is no fault.
    var peers: (known: Int, connected: Int)?
    private var events: Int64?
    private var logs: Int?
    private let free: UInt64?

    /// Looks at a ledger that is open.
    init(_ ledger: Ledger, _ directory: String) {
        free = DiskSpace.free(directory)
        if let free, free < Self.freeBytesMin {
            add("lowSpace", "The disk that holds the ledger has only \(free >> 20) MiB left.")
        }
        do throws(LedgerError) {
            events = try ledger.lastPosition()
            logs = try ledger.logSizes().count
            if try ledger.clock().isFloorAhead {
                add(
                    "clockAhead",
                    "The ledger was written with a clock that ran ahead; set the clock, then run "
                        + "ledgerd clock --reset-floor.")
            }
        } catch {
            add(error.code.description, error.message)
        }
    }

    mutating func add(_ code: String, _ message: String) {
        problems.append(Problem(code: code, message: message))
    }

    var exit: ExitCode { problems.isEmpty ? .done : .findings }

    /// Writes the members into the object that is open.
    func write(to writer: inout JSONWriter) {
        writer.field("healthy", problems.isEmpty)
        writer.field("daemon", daemonUpSeconds != nil)
        if let events { writer.field("events", events) }
        if let logs { writer.field("logs", logs) }
        if let free { writer.field("diskFreeBytes", free) }
        if let daemonUpSeconds { writer.field("upSeconds", daemonUpSeconds) }
        if let peers {
            writer.field("peers", peers.known)
            writer.field("peersConnected", peers.connected)
        }
        writer.arrayField("problems") { writer in
            for problem in problems {
                writer.object { writer in
                    writer.field("code", problem.code)
                    writer.field("message", problem.message)
                }
            }
        }
    }
}
