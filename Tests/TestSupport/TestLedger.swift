public import Ledger
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A wall clock that stands still until a test moves it.
public final class ManualClock: Sendable {
    private let now: Mutex<Int64>

    /// Starts at a time, by default 2026-01-01T00:00:00Z.
    public init(_ milliseconds: Int64 = 1_767_225_600_000) { now = Mutex(milliseconds) }

    /// Unix milliseconds.
    public var milliseconds: Int64 {
        get { now.withLock { $0 } }
        set { now.withLock { $0 = newValue } }
    }

    /// Moves on.
    public func advance(milliseconds: Int64 = 0, minutes: Int64 = 0, days: Int64 = 0) {
        now.withLock { $0 += milliseconds + minutes * 60_000 + days * 86_400_000 }
    }

    /// An environment with this clock.
    public var environment: LedgerEnvironment {
        LedgerEnvironment(wallClock: { self.milliseconds }, lockWaitMilliseconds: 5000)
    }
}

/// A directory that is removed with the value.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// Makes it.
    public init() {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((base + "/ledger-test-XXXXXX").utf8CString)
        mkdtemp(&template)
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.removeTree(path) }

    /// What is in it, by name.
    public var names: [String] { Self.names(in: path).sorted() }

    private static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    private static func removeTree(_ path: String) {
        for name in names(in: path) { removeTree(path + "/" + name) }
        remove(path)
    }
}

/// A new ledger in a directory of its own, with a clock the test moves.
public struct TestLedger: Sendable {
    /// The ledger.
    public let ledger: Ledger
    /// Its clock.
    public let clock: ManualClock
    /// Its recovery key; nil for a replica that joined.
    public let recoveryKey: RecoveryKey?
    /// Its directory.
    public let directory: TemporaryDirectory

    /// Makes a ledger.
    public init(clock: ManualClock = ManualClock()) throws {
        directory = TemporaryDirectory()
        self.clock = clock
        let made = try Ledger.create(
            at: directory.path + "/state", environment: clock.environment)
        ledger = made.ledger
        recoveryKey = made.recoveryKey
    }

    private init(joining other: TestLedger, clock: ManualClock) throws {
        directory = TemporaryDirectory()
        self.clock = clock
        recoveryKey = nil
        ledger = try Ledger.join(
            try other.ledger.invitation(), at: directory.path + "/state",
            environment: clock.environment)
    }

    /// Makes another replica that nobody has admitted yet.
    public func stranger(clock: ManualClock? = nil) throws -> TestLedger {
        try TestLedger(joining: self, clock: clock ?? self.clock)
    }

    /// Makes another replica of the same ledger and admits it here.
    public func joined(clock: ManualClock? = nil) throws -> TestLedger {
        let other = try stranger(clock: clock)
        if let replica = other.ledger.replica { try ledger.admit(replica) }
        return other
    }

    /// The state directory.
    public var path: String { directory.path + "/state" }
}

/// A phone that many tests use.
public let phone = Place(device: "phone", install: "1")
