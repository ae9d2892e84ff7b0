internal import Ledger

/// The standard streams.
enum Stream: Int32, Sendable {
    case input = 0
    case output = 1
    case error = 2
}

/// What commands take from the world around the process, so that a test can stand in for it.
protocol Console: AnyObject {
    /// What the ledger takes from outside.
    var ledgerEnvironment: LedgerEnvironment { get }
    /// An environment variable; nil where it is unset or empty.
    func variable(_ name: String) -> String?
    /// Whether a person sees the stream as it is written.
    func isTerminal(_ stream: Stream) -> Bool
    /// How wide the terminal of standard output is; nil where it is none, or does not say.
    var columns: Int? { get }
    /// Writes all bytes; nil, or the error number.
    func write(_ bytes: [UInt8], to stream: Stream) -> Int32?
    /// Reads up to `count` bytes of standard input; empty at its end.
    func read(_ count: Int) throws(Failure) -> [UInt8]
    /// Waits before looking again; false when the command should end.
    func pause(milliseconds: Int) -> Bool
    /// Has `stop` called, on another thread, when the process is asked to end.
    func onTermination(_ stop: @escaping @Sendable () -> Void)
}

extension Console {
    /// Nobody looks at it.
    var columns: Int? { nil }
}
