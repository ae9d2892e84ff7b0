internal import Ledger
internal import SyncEngine
internal import Synchronization

/// The daemon's log on standard error, one line an entry.
///
/// An entry is a sentence known at compile time and fields of closed kinds, so that no subject,
/// payload or key can get into it by way of a text.
final class DaemonLog: Sendable {
    enum Level: Int, CaseIterable, CustomStringConvertible, Sendable {
        case debug, info, warning, error

        var description: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    enum Format: String, CaseIterable, CustomStringConvertible, Sendable {
        case text, json
        var description: String { rawValue }
    }

    /// What a field can hold.
    enum Value: Sendable, Equatable {
        case number(Int64)
        /// A word out of the program's own text, such as an error's code.
        case word(String)
        /// A file or address out of the operator's own settings.
        case place(String)
        case log(LogID)
        case replica(ReplicaID)

        fileprivate var text: String {
            switch self {
            case .number(let number): String(number)
            case .word(let word): word
            case .place(let place): PrintableText.make(place)
            case .log(let log): log.description
            case .replica(let replica): replica.description
            }
        }
    }

    typealias Fields = KeyValuePairs<StaticString, Value>

    private let format: Format
    private let level: Level
    private let clock: @Sendable () -> Int64
    private let write: @Sendable ([UInt8]) -> Void
    private let turn = Mutex(())

    init(
        _ format: Format, _ level: Level, clock: @escaping @Sendable () -> Int64,
        write: @escaping @Sendable ([UInt8]) -> Void = {
            _ = FileDescriptor.writeAll($0, to: Stream.error.rawValue)
        }
    ) {
        self.format = format
        self.level = level
        self.clock = clock
        self.write = write
    }

    func debug(_ what: StaticString, _ fields: Fields = [:]) { put(.debug, what, fields) }
    func info(_ what: StaticString, _ fields: Fields = [:]) { put(.info, what, fields) }
    func warning(_ what: StaticString, _ fields: Fields = [:]) { put(.warning, what, fields) }
    func error(_ what: StaticString, _ fields: Fields = [:]) { put(.error, what, fields) }

    /// An entry for something that failed; a failure's message names no person.
    func failure(_ level: Level, _ what: StaticString, _ failure: Failure, at place: String? = nil)
    {
        if let place {
            put(
                level, what,
                [
                    "place": .place(place), "code": .word(failure.code),
                    "message": .place(failure.message),
                ])
        } else {
            put(level, what, ["code": .word(failure.code), "message": .place(failure.message)])
        }
    }

    private func put(_ level: Level, _ what: StaticString, _ fields: Fields) {
        guard level.rawValue >= self.level.rawValue else { return }
        let time = ISO8601.format(clock(), offsetSeconds: 0)
        let bytes =
            switch format {
            case .text: Self.text(time, level, what, fields)
            case .json: Self.json(time, level, what, fields)
            }
        // One write a line, and one line at a time: entries of several threads stay apart.
        turn.withLock { _ in write(bytes) }
    }

    private static func text(
        _ time: String, _ level: Level, _ what: StaticString, _ fields: Fields
    ) -> [UInt8] {
        var line = "\(time) \(level) \(what)"
        for (name, value) in fields {
            let text = value.text
            let isPlain =
                !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D }
            line += " \(name)=" + (isPlain ? text : JSONValue.string(text).encodedText)
        }
        return Array("\(line)\n".utf8)
    }

    private static func json(
        _ time: String, _ level: Level, _ what: StaticString, _ fields: Fields
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("time", time)
            writer.field("level", level.description)
            writer.field("what", "\(what)")
            for (name, value) in fields {
                if case .number(let number) = value {
                    writer.field("\(name)", number)
                } else {
                    writer.field("\(name)", value.text)
                }
            }
        }
        return writer.bytes + [0x0A]
    }
}

extension JSONValue {
    /// The value as compact JSON text.
    var encodedText: String { String(decoding: encoded, as: UTF8.self) }
}
