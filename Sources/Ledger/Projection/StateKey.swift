/// What a status belongs to.
///
/// (subject, resource) for a person, and device and install besides for a device. Two different types of key, so that one can never be read as the other.
struct StateKey: Hashable, Comparable, Sendable {
    /// tag ‖ scope ‖ resource, and ‖ device ‖ install; names as length and NFC bytes.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Hashes the buffer at once; an array's own way is byte by byte.
    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    init(tag: SubjectTag, resource: String, place: Place?) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            23 + resource.utf8.count
                + (place.map { $0.device.utf8.count + $0.install.utf8.count } ?? 0))
        tag.raw.withBytes { bytes.append(contentsOf: $0) }
        bytes.append((place == nil ? Scope.person : .device).rawValue)
        Self.append(resource, to: &bytes)
        if let place {
            Self.append(place.device, to: &bytes)
            Self.append(place.install, to: &bytes)
        }
        self.bytes = bytes
    }

    private static func append(_ name: String, to bytes: inout [UInt8]) {
        let start = bytes.count
        bytes.append(0)
        bytes.append(0)
        Identifier.appendCanonical(name, to: &bytes)
        let count = bytes.count - start - 2
        bytes[start] = UInt8(truncatingIfNeeded: count >> 8)
        bytes[start + 1] = UInt8(truncatingIfNeeded: count)
    }

    static func < (left: StateKey, right: StateKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    var tag: SubjectTag { Bytes16(bytes.prefix(16)).map(SubjectTag.init) ?? .none }
    var isPersonScoped: Bool { bytes.count > 16 && bytes[16] == Scope.person.rawValue }

    /// The names in the key: the resource, and for a device the device and the install.
    var names: [String] {
        var names: [String] = []
        var offset = 17
        while offset + 2 <= bytes.count {
            let count = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            guard offset + 2 + count <= bytes.count else { break }
            let slice = bytes[offset + 2..<offset + 2 + count]
            names.append(String(decoding: slice, as: UTF8.self))
            offset += 2 + count
        }
        return names
    }

    var resource: String { names.first ?? "" }
    var place: Place? {
        let names = names
        return names.count == 3 ? Place(device: names[1], install: names[2]) : nil
    }

    /// What all installs of this key's device have in common.
    var devicePrefix: [UInt8]? {
        guard let place else { return nil }
        return Array(bytes.dropLast(2 + place.install.utf8.count))
    }
}
