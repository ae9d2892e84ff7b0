/// How much of the own log may have left, kept beside the database and not in it, so that a
/// database that was put back, copied or moved is told from one that simply went on.
///
/// The file has two slots of 512 bytes, written in turn: a write that was cut off leaves the other
/// one, which says less and is right.
struct Mark: Equatable {
    static let slotLength = 512
    private static let magic = "consent-ledger/mark/1"

    /// Which of the two slots is newer.
    var counter: UInt64 = 0
    /// The log that this replica writes into.
    let log: LogID
    /// The newest checkpoint that may have left; 0 as long as none has.
    let size: UInt64
    let root: Bytes32
    /// Where the database was when that was written.
    let place: FilePlace

    static func == (left: Mark, right: Mark) -> Bool {
        (left.log, left.size, left.root, left.place)
            == (right.log, right.size, right.root, right.place)
    }

    var offset: Int64 { Int64(counter % 2) * Int64(Self.slotLength) }

    /// One slot: a line of text, filled up with spaces.
    func encoded() throws(LedgerError) -> [UInt8] {
        let fields = [
            Self.magic, "\(counter)", "\(log)", "\(size)", Base32.encode(root.bytes),
            "\(place.inode)", place.birthNanoseconds.map { "\($0)" } ?? "-",
            place.machine.map { Base32.encode($0.bytes) } ?? "-",
        ]
        let text = Array(fields.joined(separator: " ").utf8)
        let line = text + [0x20] + Array(try Self.check(text).utf8)
        let filler = [UInt8](repeating: 0x20, count: Self.slotLength - line.count - 1)
        return line + filler + [0x0A]
    }

    private static func check(_ text: [UInt8]) throws(LedgerError) -> String {
        Base32.encode(try Crypto.sha256(text).bytes.prefix(10))
    }

    /// The newer whole slot of a mark's file; nil when there is none.
    init?(file: [UInt8]) throws(LedgerError) {
        var newest: Mark?
        for start in stride(from: 0, to: file.count, by: Self.slotLength) {
            let slot = file[start..<min(start + Self.slotLength, file.count)]
            guard let mark = try Mark(slot: slot) else { continue }
            if mark.counter >= newest?.counter ?? 0 { newest = mark }
        }
        guard let newest else { return nil }
        self = newest
    }

    private init?(slot: ArraySlice<UInt8>) throws(LedgerError) {
        let fields = slot.split(whereSeparator: { $0 == 0x20 || $0 == 0x0A }).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard fields.count == 9, fields[0] == Self.magic,
            try Self.check(Array(fields.dropLast().joined(separator: " ").utf8)) == fields[8],
            let counter = UInt64(fields[1]), let log = LogID(fields[2]),
            let size = UInt64(fields[3]),
            let root = Base32.decode(fields[4]).flatMap(Bytes32.init),
            let inode = UInt64(fields[5])
        else { return nil }
        self.init(
            counter: counter, log: log, size: size, root: root,
            place: FilePlace(
                inode: inode, birthNanoseconds: Int64(fields[6]),
                machine: Base32.decode(fields[7]).flatMap(Bytes16.init)))
    }

    init(counter: UInt64 = 0, log: LogID, size: UInt64, root: Bytes32, place: FilePlace) {
        self.counter = counter
        self.log = log
        self.size = size
        self.root = root
        self.place = place
    }
}

/// What tells a file from a copy of it, as far as the system knows.
struct FilePlace: Hashable, Sendable {
    var inode: UInt64
    /// When the file was made; nil where the file system does not keep it.
    var birthNanoseconds: Int64?
    /// A digest of the machine's id; nil where it has none.
    var machine: Bytes16?

    func isOtherMachine(than other: FilePlace) -> Bool {
        guard let machine, let theirs = other.machine else { return false }
        return machine != theirs
    }

    func isOtherFile(than other: FilePlace) -> Bool {
        guard inode == other.inode else { return true }
        guard let birthNanoseconds, let theirs = other.birthNanoseconds else { return false }
        return birthNanoseconds != theirs
    }
}
