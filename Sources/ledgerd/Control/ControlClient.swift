internal import Ledger
internal import SyncEngine

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A command line's connection to the daemon of a state directory.
final class ControlClient {
    private static let lineBytesMax = 16 << 20
    private static let chunkBytes = 64 << 10

    private let connection: Int32
    private var buffer: [UInt8] = []

    private init(_ connection: Int32) { self.connection = connection }

    deinit { close(connection) }

    /// Connects to the daemon of a state directory; nil where none runs.
    ///
    /// - Throws: `busy` when one runs and does not take clients; `io`.
    static func find(_ directory: String) throws(Failure) -> ControlClient? {
        guard let path = StateLock.control(directory) else { return nil }
        do {
            return ControlClient(try LocalSocket.connect(to: path))
        } catch {
            // Left behind by a daemon that has ended, or another user's: the database is as good.
            if error.code == .notFound || error.code == .refused { return nil }
            throw Failure(error)
        }
    }

    /// Sends one request and takes the answers up to the last.
    ///
    /// - Parameters:
    ///   - request: a JSON object on one line.
    ///   - milliseconds: how long to wait for each line.
    ///   - take: gets every answer but the last.
    /// - Returns: the last answer.
    /// - Throws: what the daemon refused it with; `closed` when it went away, `timedOut`.
    func ask(
        _ request: [UInt8], milliseconds: Int64, _ take: (JSONValue) -> Void = { _ in }
    ) throws(Failure) -> JSONValue {
        if let error = FileDescriptor.writeAll(request + [0x0A], to: connection) {
            throw Self.gone(SystemError.text(error))
        }
        while true {
            let line = try nextLine(milliseconds)
            let answer = try lifted { () throws(LedgerError) in
                try JSONReader.parse(line, file: "answer")
            }
            if let error = answer["error"] {
                let exit = error["exit"]?.integer.flatMap {
                    ExitCode(rawValue: Int32(clamping: $0))
                }
                throw Failure(
                    exit ?? .software, code: error["code"]?.text ?? "unknown",
                    error["message"]?.text ?? "The daemon refused it.")
            }
            if answer["result"] != nil { return answer }
            take(answer)
        }
    }

    private func nextLine(_ milliseconds: Int64) throws(Failure) -> [UInt8] {
        let deadline = now + milliseconds
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                return line
            }
            guard now < deadline, buffer.count <= Self.lineBytesMax else {
                throw Failure(
                    .busy, code: "timedOut", "The daemon does not answer; see ledgerd health.")
            }
            let left = Int32(clamping: deadline - now)
            guard !PosixIO.ready(reading: [connection], milliseconds: left).isEmpty else {
                continue
            }
            let chunk = try FileDescriptor.read(
                Self.chunkBytes, from: connection, name: "the daemon's answer")
            guard !chunk.isEmpty else { throw Self.gone(nil) }
            buffer += chunk
        }
    }

    private static func gone(_ cause: String?) -> Failure {
        Failure(
            .busy, code: "closed",
            "The daemon went away before it answered; look whether it was done, then try again"
                + (cause.map { " (\($0))." } ?? "."))
    }

    private var now: Int64 { SystemClock.monotonicNanoseconds() / 1_000_000 }
}
