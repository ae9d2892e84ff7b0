internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// How far local time is from UTC: fixed, or by the system's tz database.
enum TimeZoneRules: Sendable, Equatable {
    case fixed(seconds: Int)
    case named(String)

    static let utc = TimeZoneRules.fixed(seconds: 0)

    /// Reads `UTC`, `Z`, an offset such as `+05:30`, or a name of the tz database.
    ///
    /// - Returns: nil for a zone that is not installed: the C library would take it for UTC.
    init?(_ text: String) {
        if text == "UTC" || text == "Z" {
            self = .utc
        } else if let seconds = Self.offset(text) {
            self = .fixed(seconds: seconds)
        } else if Self.isInstalled(text) {
            self = .named(text)
        } else {
            return nil
        }
    }

    /// Seconds east of Greenwich at an instant.
    func offset(atSeconds seconds: Int64) -> Int {
        switch self {
        case .fixed(let offset): offset
        case .named(let name): Self.zones.withLock { $0.offset(of: name, atSeconds: seconds) }
        }
    }

    private static func offset(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 6, bytes[0] == 0x2B || bytes[0] == 0x2D, bytes[3] == 0x3A else {
            return nil
        }
        let digits = [bytes[1], bytes[2], bytes[4], bytes[5]].map { Int($0) - 0x30 }
        guard digits.allSatisfy({ 0...9 ~= $0 }) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hours < 24, minutes < 60 else { return nil }
        return (bytes[0] == 0x2D ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// tzfile(5): every file of the database begins with `TZif`.
    private static func isInstalled(_ name: String) -> Bool {
        let isName =
            !name.isEmpty && name.utf8.count <= 64
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.utf8.first != 0x2E
                    && part.utf8.allSatisfy { 0x2B...0x7A ~= $0 && $0 != 0x3A && $0 != 0x5C }
            }
        guard isName else { return false }
        let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
        let file = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var magic: [UInt8] = [0, 0, 0, 0]
        return read(file, &magic, 4) == 4 && magic == Array("TZif".utf8)
    }

    private static let zones = Mutex(ZoneInUse())
}

/// The zone that the C library is set to; it has one for the whole process.
private struct ZoneInUse {
    private var name: String?

    mutating func offset(of zone: String, atSeconds seconds: Int64) -> Int {
        if name != zone {
            setenv("TZ", ":\(zone)", 1)
            tzset()
            name = zone
        }
        var time = time_t(seconds)
        var local = tm()
        // tzset(3) is not asked for again by localtime_r, hence the call above.
        guard localtime_r(&time, &local) != nil else { return 0 }
        return local.tm_gmtoff
    }
}
