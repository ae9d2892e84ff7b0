/// The stored states of all keys whose subjects' tags begin with the same eight bytes, ascending
/// by key: nearly always those of one subject.
///
/// A row for each key would cost a search of the tree and a place in it for each; a subject's keys
/// are read together anyway. Each key (2 bytes of length before it) is followed by its state (4).
enum StateBundle {
    /// What the tags of a bundle's subjects begin with, as the number of its row: rows ascend as
    /// keys do.
    static func row(_ tag: SubjectTag) -> Int64 { Int64(bitPattern: tag.raw.a ^ 1 << 63) }

    /// Adds the next key and its state.
    static func append(
        _ key: UnsafeRawBufferPointer, _ state: some Collection<UInt8>, to bytes: inout [UInt8]
    ) {
        append(UInt16(key.count), to: &bytes)
        bytes.append(contentsOf: key)
        append(UInt32(state.count), to: &bytes)
        bytes.append(contentsOf: state)
    }

    private static func append(_ length: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: length.bigEndian) { bytes.append(contentsOf: $0) }
    }

    /// One key and its state; valid as long as the bundle's bytes.
    struct Item {
        let key: UnsafeRawBufferPointer
        let state: UnsafeRawBufferPointer
    }

    /// Takes the bundle apart; nil when its bytes do not add up.
    static func items(_ bytes: UnsafeRawBufferPointer) -> [Item]? {
        var items: [Item] = []
        var offset = 0
        func take(_ count: Int) -> UnsafeRawBufferPointer? {
            guard count <= bytes.count - offset else { return nil }
            defer { offset += count }
            return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
        }
        func length<T: FixedWidthInteger>(_: T.Type) -> Int? {
            take(MemoryLayout<T>.size).map { Int(T(bigEndian: $0.loadUnaligned(as: T.self))) }
        }
        while offset < bytes.count {
            guard let keyLength = length(UInt16.self), let key = take(keyLength),
                let stateLength = length(UInt32.self), let state = take(stateLength)
            else { return nil }
            items.append(Item(key: key, state: state))
        }
        return items
    }

    /// States of keys that belong into one row, ascending, encoded.
    struct Changes {
        private var keys: [StateKey] = []
        /// Where the state of each key ends in what was written.
        private var ends: [Int] = []
        private var writer = CBORWriter(reserving: 4096)

        /// Where they belong; nil when there are none.
        var row: Int64? { tag.map(StateBundle.row) }
        /// The subject of the first.
        var tag: SubjectTag? { keys.first?.tag }

        mutating func removeAll() {
            keys.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            writer.removeAll()
        }

        mutating func append(_ key: StateKey, _ state: borrowing KeyState) {
            state.encodeStored(to: &writer)
            keys.append(key)
            ends.append(writer.bytes.count)
        }

        /// Writes a bundle of them and of the items that they leave as they are.
        func merge(into items: [Item], writing bytes: inout [UInt8]) {
            bytes.removeAll(keepingCapacity: true)
            var next = 0
            for item in items {
                while next < keys.count, keys[next].isBefore(item.key) {
                    append(next, to: &bytes)
                    next += 1
                }
                guard next < keys.count, keys[next].bytes.withUnsafeBytes(item.key.hasSameBytes)
                else {
                    StateBundle.append(item.key, item.state, to: &bytes)
                    continue
                }
                append(next, to: &bytes)
                next += 1
            }
            for index in next..<keys.count { append(index, to: &bytes) }
        }

        private func append(_ index: Int, to bytes: inout [UInt8]) {
            let start = index == 0 ? 0 : ends[index - 1]
            keys[index].bytes.withUnsafeBytes {
                StateBundle.append($0, writer.bytes[start..<ends[index]], to: &bytes)
            }
        }
    }
}
