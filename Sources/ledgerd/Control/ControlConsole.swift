internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// What a command that the daemon runs for a client takes for its surroundings: what it prints
/// becomes answers.
final class ControlConsole: Console {
    /// What becomes of standard output.
    enum Form {
        /// Each line is an object of its own.
        case objects
        /// The bytes, and the messages beside them, are for a command line.
        case relay(colour: Bool)
    }

    let ledgerEnvironment = LedgerEnvironment()
    private let reply: ControlReply
    private let form: Form
    /// The beginning of a line whose end has not come yet.
    private var rest: [UInt8] = []
    /// A single answer is kept back, for it ends the request.
    private let keepsOne: Bool
    private(set) var kept: [UInt8]?
    private(set) var itemCount = 0

    init(_ reply: ControlReply, _ form: Form, keepsOne: Bool = false) {
        self.reply = reply
        self.form = form
        self.keepsOne = keepsOne
    }

    func variable(_ name: String) -> String? { nil }

    func isTerminal(_ stream: Stream) -> Bool {
        if case .relay(let colour) = form { return colour && stream == .output }
        return false
    }

    func write(_ bytes: [UInt8], to stream: Stream) -> Int32? {
        if case .relay = form {
            return reply.text(stream, bytes) ? nil : SystemError.brokenPipe
        }
        guard stream == .output else { return nil }
        rest += bytes
        while let end = rest.firstIndex(of: 0x0A) {
            let line = Array(rest[..<end])
            rest.removeFirst(end + 1)
            itemCount += 1
            if keepsOne {
                kept = line
            } else if !reply.item(line) {
                return SystemError.brokenPipe
            }
        }
        return nil
    }

    func read(_ count: Int) throws(Failure) -> [UInt8] { [] }

    func pause(milliseconds: Int) -> Bool {
        !reply.connection.wait(milliseconds: Int32(clamping: milliseconds))
    }

    func onTermination(_ stop: @escaping @Sendable () -> Void) {}
}
