import Ledger
import SyncEngine
import Testing

@testable import ledgerd

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The built program, run as a process of its own.
final class ChildProcess {
    /// Beside the test's own file, where the package manager builds all products.
    static let program: String = {
        var path = [CChar](repeating: 0, count: 4096)
        let count = max(0, readlink("/proc/self/exe", &path, path.count - 1))
        let own = String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "ledgerd"
    }()
    static let deadlineMilliseconds: Int64 = 60_000

    let process: pid_t
    private let output: Int32
    private let errors: Int32
    private var buffers: [Int32: [UInt8]] = [:]
    private var status: Int32?
    /// The ends of its output that have not come to an end.
    private var open: Set<Int32>

    /// Starts it with these words and nothing but these variables.
    init(
        _ words: [String], _ variables: [String: String] = [:],
        program: String = ChildProcess.program,
        passing: Int32? = nil
    ) throws {
        var ends: [Int32] = [0, 0, 0, 0]
        try #require(pipe(&ends) == 0)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var second: [Int32] = [0, 0]
        try #require(pipe(&second) == 0)
        for end in ends[..<2] + second { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, second[1], 2)
        if let passing { posix_spawn_file_actions_adddup2(&actions, passing, 3) }
        let arguments = ([program] + words).map { strdup($0) } + [nil]
        let environment = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let failure = posix_spawn(&process, program, &actions, nil, arguments, environment)
        close(ends[1])
        close(second[1])
        (output, errors) = (ends[0], second[0])
        open = [ends[0], second[0]]
        self.process = process
        try #require(failure == 0, "cannot start \(program)")
    }

    deinit {
        if status == nil {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        close(output)
        close(errors)
    }

    func signal(_ number: Int32) { kill(process, number) }

    /// Waits for the end; how it ended as a shell shows it: the code, or 128 and the signal.
    func wait() throws -> Int32 {
        if let status { return status }
        // The end of its output comes with its own.
        if !readToEnd() {
            Issue.record("it did not end in time: \(errorText)")
            kill(process, SIGKILL)
        }
        var raw: Int32 = 0
        try #require(waitpid(process, &raw, 0) == process)
        let signal = raw & 0x7F
        let result = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
        status = result
        return result
    }

    var outputText: String { String(decoding: buffers[output] ?? [], as: UTF8.self) }
    var errorText: String { String(decoding: buffers[errors] ?? [], as: UTF8.self) }

    /// Waits until its messages contain a text.
    func waitForMessage(_ text: String) throws {
        let deadline = SystemClock.monotonicNanoseconds() / 1_000_000 + Self.deadlineMilliseconds
        while !errorText.contains(text) {
            let left = deadline - SystemClock.monotonicNanoseconds() / 1_000_000
            try #require(left > 0, "no “\(text)” came; there is: \(errorText)")
            try #require(!open.isEmpty, "it ended: \(errorText)")
            fill(Int32(clamping: left))
        }
    }

    /// Reads all that is printed; false when it does not end in time.
    private func readToEnd() -> Bool {
        let deadline = SystemClock.monotonicNanoseconds() / 1_000_000 + Self.deadlineMilliseconds
        while !open.isEmpty {
            let left = deadline - SystemClock.monotonicNanoseconds() / 1_000_000
            guard left > 0 else { return false }
            fill(Int32(clamping: left))
        }
        return true
    }

    /// Reads what is there, or comes in time.
    private func fill(_ milliseconds: Int32) {
        for descriptor in PosixIO.ready(reading: Array(open), milliseconds: milliseconds) {
            let bytes = (try? FileDescriptor.read(65536, from: descriptor, name: "child")) ?? []
            if bytes.isEmpty { open.remove(descriptor) }
            buffers[descriptor, default: []] += bytes
        }
    }
}

/// The service manager's end of the notify protocol.
final class NotifySocket {
    let path: String
    private let descriptor: Int32

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0)
    }

    deinit { close(descriptor) }

    /// Waits for a message with a line.
    func wait(for line: String, from child: ChildProcess) throws {
        let deadline =
            SystemClock.monotonicNanoseconds() / 1_000_000 + ChildProcess.deadlineMilliseconds
        while true {
            let left = deadline - SystemClock.monotonicNanoseconds() / 1_000_000
            try #require(left > 0, "no \(line) came")
            // Looked at often, so that a daemon that could not start is told at once.
            guard PosixIO.ready(reading: [descriptor], milliseconds: 200).isEmpty else {
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
                if text.split(separator: "\n").contains(Substring(line)) { return }
                continue
            }
            if kill(child.process, 0) != 0 || Self.hasEnded(child.process) {
                _ = try child.wait()
                Issue.record("the daemon ended: \(child.errorText)")
                throw CancellationError()
            }
        }
    }

    private static func hasEnded(_ process: pid_t) -> Bool {
        var info = siginfo_t()
        let result = waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT)
        return result != 0 || info.si_signo == SIGCHLD
    }
}

/// How a process ended, and what it printed.
struct Ended: Equatable {
    let code: Int32
    let output: String
    let errors: String
}

/// A ledger with a daemon on it.
struct DaemonFixture {
    let fixture: CommandFixture
    let notify: NotifySocket
    var state: String { fixture.folder.file("state") }
    var folder: TemporaryFolder { fixture.folder }

    /// Makes one; an empty one has no ledger in its state directory yet.
    init(isEmpty: Bool = false) throws {
        fixture = try CommandFixture(isEmpty: isEmpty)
        notify = try NotifySocket(fixture.folder.file("n"))
    }

    /// Starts a daemon and waits until it says that it is ready.
    func start(_ words: [String] = [], _ variables: [String: String] = [:]) throws -> ChildProcess {
        var variables = variables
        variables["NOTIFY_SOCKET"] = notify.path
        let child = try ChildProcess(["run", "--dir", state] + words, variables)
        try notify.wait(for: "READY=1", from: child)
        return child
    }

    /// Runs another command in a process of its own.
    func run(_ words: String...) throws -> Ended { try run(words) }

    func run(_ words: [String]) throws -> Ended {
        let child = try ChildProcess(words + ["--dir", state])
        let code = try child.wait()
        return Ended(code: code, output: child.outputText, errors: child.errorText)
    }

    func client() throws -> ControlProbe {
        try ControlProbe(try LocalSocket.connect(to: "\(state)/control.sock"))
    }
}

/// A client of the control socket, line by line.
final class ControlProbe {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ descriptor: Int32) throws {
        self.descriptor = descriptor
        // A daemon that hangs up is for one test to see, and must not end all of them.
        signal(SIGPIPE, SIG_IGN)
    }

    deinit { close(descriptor) }

    func send(_ line: String) throws {
        try #require(FileDescriptor.writeAll(Array("\(line)\n".utf8), to: descriptor) == nil)
    }

    /// The next answer; nil when the daemon closed the connection.
    func next() throws -> JSONValue? {
        let deadline =
            SystemClock.monotonicNanoseconds() / 1_000_000 + ChildProcess.deadlineMilliseconds
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                return try JSONReader.parse(line, file: "answer")
            }
            let left = deadline - SystemClock.monotonicNanoseconds() / 1_000_000
            try #require(left > 0, "no answer came")
            guard
                !PosixIO.ready(reading: [descriptor], milliseconds: Int32(clamping: left)).isEmpty
            else { continue }
            let bytes = [UInt8](unsafeUninitializedCapacity: 65536) { space, count in
                count = max(0, recv(descriptor, space.baseAddress, 65536, 0))
            }
            if bytes.isEmpty { return nil }
            buffer += bytes
        }
    }

    /// Asks and takes all answers, the last one last.
    func ask(_ line: String) throws -> [JSONValue] {
        try send(line)
        var answers: [JSONValue] = []
        while let answer = try next() {
            answers.append(answer)
            if answer["result"] != nil || answer["error"] != nil { break }
        }
        return answers
    }

    func result(_ line: String) throws -> JSONValue {
        let answers = try ask(line)
        return try #require(answers.last?["result"], "\(answers)")
    }

    func errorCode(_ line: String) throws -> String? {
        try ask(line).last?["error"]?["code"]?.text
    }
}
