extension StateKey {
    /// A key from names as they stand in a payload, in valid UTF-8.
    init(
        tag: SubjectTag, resource: UnsafeRawBufferPointer,
        device: UnsafeRawBufferPointer? = nil, install: UnsafeRawBufferPointer? = nil
    ) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(23 + resource.count + (device?.count ?? 0) + (install?.count ?? 0))
        tag.raw.withBytes { bytes.append(contentsOf: $0) }
        bytes.append((device == nil ? Scope.person : .device).rawValue)
        Self.append(resource, to: &bytes)
        if let device { Self.append(device, to: &bytes) }
        if let install { Self.append(install, to: &bytes) }
        self.init(bytes: bytes)
    }

    private static func append(_ name: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        guard Identifier.isPlain(name) else {
            let canonical = Identifier.canonicalBytes(String(decoding: name, as: UTF8.self))
            append(count: canonical.count, to: &bytes)
            bytes.append(contentsOf: canonical)
            return
        }
        append(count: name.count, to: &bytes)
        bytes.append(contentsOf: name)
    }

    private static func append(count: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: count))
    }
}

extension StateKey {
    /// Whether the key comes before another one, given by its bytes.
    func isBefore(_ other: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { Self.isAscending($0, other) }
    }

    /// The keys ascending, as the table keeps them.
    static func sorted(_ keys: some Sequence<StateKey>) -> [StateKey] {
        // The first eight bytes nearly always tell two keys apart, without looking at the rest.
        let keyed = keys.map { key in
            let start = key.bytes.withUnsafeBytes { bytes in
                bytes.count < 8 ? 0 : UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
            }
            return (start: start, key: key)
        }
        return keyed.sorted { left, right in
            left.start == right.start ? left.key < right.key : left.start < right.start
        }.map(\.key)
    }
}

extension Identifier {
    /// Whether the bytes are printable ASCII, which is its own NFC form.
    static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var isPlain = true
        for byte in bytes { isPlain = isPlain && byte >= 0x20 && byte < 0x7F }
        return isPlain
    }
}
