public import Ledger

/// Something that was left out of a merge, and why; the rest went on.
///
/// ```swift
/// let strangers: [SetAside] = report.setAside.filter { $0.reason.code == .notASegment }
/// let names = strangers.compactMap(\.file)
/// ```
public struct SetAside: Sendable, Equatable, CustomStringConvertible {
    /// The log it belongs to, where that could be told.
    public let log: LogID?
    /// The name of the file it lies in; nil in a session.
    public let file: String?
    /// Why it was not taken.
    public let reason: SyncError

    /// Makes an entry of a report.
    ///
    /// - Parameters:
    ///   - log: the log it belongs to, where that could be told.
    ///   - file: the name of the file it lies in.
    ///   - reason: why it was not taken.
    public init(log: LogID? = nil, file: String? = nil, reason: SyncError) {
        self.log = log
        self.file = file
        self.reason = reason
    }

    /// The file or log, and the reason.
    public var description: String {
        "\(file ?? log.map { "log \($0.short)" } ?? "peer"): \(reason)"
    }
}

/// A bounded list of what was left out: the first ones in full, the rest as a number.
struct SetAsideList: Sendable {
    private(set) var items: [SetAside] = []
    private(set) var count = 0
    static let keptMax = 1000

    mutating func add(_ item: SetAside) {
        count += 1
        if items.count < Self.keptMax { items.append(item) }
    }

    mutating func add(_ other: SetAsideList) {
        items += other.items.prefix(Self.keptMax - items.count)
        count += other.count
    }

    /// Forgets those that are tried again.
    mutating func remove(_ code: SyncError.Code) {
        let before = items.count
        items.removeAll { $0.reason.code == code }
        count -= before - items.count
    }
}
