#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// What a status belongs to.
///
/// (subject, resource) for a person, and device and install besides for a device. Two different types of key, so that one can never be read as the other.
struct StateKey: Hashable, Comparable, Sendable {
    /// tag ‖ scope ‖ resource, and ‖ device ‖ install; names as length and NFC bytes.
    let bytes: [UInt8]
    let digest: KeyDigest

    init(bytes: [UInt8]) {
        self.bytes = bytes
        digest = bytes.withUnsafeBytes { KeyDigest($0) }
    }

    static func == (left: StateKey, right: StateKey) -> Bool {
        left.digest == right.digest && left.bytes == right.bytes
    }

    func hash(into hasher: inout Hasher) { hasher.combine(digest) }

    init(tag: SubjectTag, resource: String, place: Place?) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            23 + resource.utf8.count
                + (place.map { $0.device.utf8.count + $0.install.utf8.count } ?? 0))
        Self.append(tag, resource, place?.device, place?.install, to: &bytes)
        self.init(bytes: bytes)
    }

    /// Writes the bytes of a key into a buffer that is kept for it, and digests them there.
    static func digest(
        tag: SubjectTag, resource: String, device: String?, install: String?,
        in scratch: inout [UInt8]
    ) -> KeyDigest {
        scratch.removeAll(keepingCapacity: true)
        append(tag, resource, device, install, to: &scratch)
        return scratch.withUnsafeBytes { KeyDigest($0) }
    }

    private static func append(
        _ tag: SubjectTag, _ resource: String, _ device: String?, _ install: String?,
        to bytes: inout [UInt8]
    ) {
        tag.raw.withBytes { bytes.append(contentsOf: $0) }
        guard let device, let install else {
            bytes.append(Scope.person.rawValue)
            append(resource, to: &bytes)
            return
        }
        bytes.append(Scope.device.rawValue)
        append(resource, to: &bytes)
        append(device, to: &bytes)
        append(install, to: &bytes)
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
        right.bytes.withUnsafeBytes { left.isBefore($0) }
    }

    static func isAscending(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        let shared = min(left.count, right.count)
        guard let one = left.baseAddress, let other = right.baseAddress, shared > 0 else {
            return left.count < right.count
        }
        let order = memcmp(one, other, shared)
        return order == 0 ? left.count < right.count : order < 0
    }

    var tag: SubjectTag {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count >= 16, let base = bytes.baseAddress else { return .none }
            return SubjectTag(raw: Bytes16(at: base))
        }
    }
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
