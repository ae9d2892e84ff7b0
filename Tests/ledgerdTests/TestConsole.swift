import Ledger

@testable import ledgerd

/// Streams, environment and clock of a command that a test runs in this process.
final class TestConsole: Console {
    var variables: [String: String] = [:]
    var terminals: Set<ledgerd.Stream> = []
    var columnCount: Int?
    var columns: Int? { columnCount }
    var input: [UInt8] = []
    /// Standard output fails with this error number once it has taken ``outputBytesMax`` bytes.
    var outputError: Int32?
    var outputBytesMax = 0
    /// What happens while a command waits; false ends it.
    var whilePaused: () -> Bool = { false }
    let ledgerEnvironment: LedgerEnvironment

    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []
    private(set) var writeCount = 0

    init(wall: Int64 = 1_767_225_600_000) {
        ledgerEnvironment = LedgerEnvironment(wallClock: { wall })
    }

    var outputText: String { String(decoding: output, as: UTF8.self) }
    var errorText: String { String(decoding: errors, as: UTF8.self) }
    var outputLines: [Substring] { outputText.split(separator: "\n") }

    func variable(_ name: String) -> String? {
        guard let value = variables[name], !value.isEmpty else { return nil }
        return value
    }

    func isTerminal(_ stream: ledgerd.Stream) -> Bool { terminals.contains(stream) }

    func write(_ bytes: [UInt8], to stream: ledgerd.Stream) -> Int32? {
        if stream == .error {
            errors += bytes
            return nil
        }
        writeCount += 1
        if let outputError, output.count + bytes.count > outputBytesMax { return outputError }
        output += bytes
        return nil
    }

    func read(_ count: Int) throws(Failure) -> [UInt8] {
        let taken = Array(input.prefix(count))
        input.removeFirst(taken.count)
        return taken
    }

    func pause(milliseconds: Int) -> Bool { whilePaused() }

    func onTermination(_ stop: @escaping @Sendable () -> Void) {}

    /// Runs a command line and forgets what earlier ones printed.
    @discardableResult
    func run(_ words: String...) -> ExitCode { run(words) }

    /// Runs a command line and forgets what earlier ones printed.
    @discardableResult
    func run(_ words: [String]) -> ExitCode {
        output = []
        errors = []
        return Ledgerd.run(words, self)
    }
}
