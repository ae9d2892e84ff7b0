/// How an event lies in a row: the header without the bytes that its place in the log implies
/// (magic, log id, sequence), behind the first four bytes of its id, by which `verify` can name a
/// changed event before the next checkpoint.
enum StoredRow {
    static let impliedLength = EventHeader.Offset.timestamp
    static let checkLength = 4
    static let saltLength = 16

    /// Writes header and check so that `scratch[headStart...]` is the row's head.
    ///
    /// - Returns: the event's id.
    static func encode(
        _ header: EventHeader, into scratch: inout [UInt8], _ digester: Digester
    ) -> EventID {
        let length = header.encodedLength
        if scratch.count != length { scratch = [UInt8](repeating: 0, count: length) }
        return scratch.withUnsafeMutableBytes { buffer in
            header.encode(into: buffer)
            let id = digester.leaf(UnsafeRawBufferPointer(buffer))
            put(check: id, into: buffer)
            return EventID(raw: id)
        }
    }

    static let headStart = impliedLength - checkLength

    /// The same for an event whose id is known.
    static func encode(_ header: EventHeader, id: EventID, into scratch: inout [UInt8]) {
        let length = header.encodedLength
        if scratch.count != length { scratch = [UInt8](repeating: 0, count: length) }
        scratch.withUnsafeMutableBytes { buffer in
            header.encode(into: buffer)
            put(check: id.raw, into: buffer)
        }
    }

    /// The check overwrites the tail of the sequence, which the row does not keep.
    private static func put(check id: Bytes32, into buffer: UnsafeMutableRawBufferPointer) {
        buffer.storeBytes(
            of: UInt32(truncatingIfNeeded: id.a >> 32).bigEndian, toByteOffset: headStart,
            as: UInt32.self)
    }

    /// The header's bytes as they were received.
    static func headerBytes(
        log: LogID, sequence: UInt64, head: UnsafeRawBufferPointer
    ) -> [UInt8] {
        let tail = max(0, head.count - checkLength)
        return [UInt8](unsafeUninitializedCapacity: impliedLength + tail) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.storeBytes(of: EventHeader.magic.bigEndian, as: UInt32.self)
            raw.storeBytes(of: log.raw.a.bigEndian, toByteOffset: 4, as: UInt64.self)
            raw.storeBytes(of: log.raw.b.bigEndian, toByteOffset: 12, as: UInt64.self)
            raw.storeBytes(of: sequence.bigEndian, toByteOffset: 20, as: UInt64.self)
            if tail > 0 {
                UnsafeMutableRawBufferPointer(rebasing: raw[impliedLength..<impliedLength + tail])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: head[checkLength...]))
            }
            count = impliedLength + tail
        }
    }

    /// The check stored in front of the header.
    static func check(_ head: UnsafeRawBufferPointer) -> UInt32 {
        head.count < 4 ? 0 : UInt32(bigEndian: head.loadUnaligned(as: UInt32.self))
    }

    /// The subject's tag, without decoding the rest.
    static func tagPrefix(_ head: UnsafeRawBufferPointer) -> UInt64 {
        let offset = EventHeader.Offset.subjectTag - headStart
        guard head.count >= offset + 8 else { return 0 }
        return UInt64(bigEndian: head.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The whole event.
    static func event(
        log: LogID, sequence: UInt64, head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?,
        _ digester: Digester
    ) throws(LedgerError) -> Event {
        let bytes = headerBytes(log: log, sequence: sequence, head: head)
        let header = try EventHeader(bytes: bytes)
        let id = EventID(raw: bytes.withUnsafeBytes { digester.leaf($0) })
        guard let body, body.count >= saltLength else {
            return Event(
                id: id, header: header, body: [], content: body == nil ? .missing : .erased)
        }
        let stored = [UInt8](body)
        return Event(
            id: id, header: header, body: stored,
            content: .init(header.kind, stored, at: saltLength))
    }
}

extension Event.Content {
    /// Reads the payload of an event of `kind`; what does not decode is kept, undecodable.
    ///
    /// - Parameters:
    ///   - kind: the header's.
    ///   - bytes: what holds the payload.
    ///   - start: where in `bytes` the payload begins.
    init(_ kind: EventKind, _ bytes: [UInt8], at start: Int = 0) {
        do {
            switch kind {
            case .logOpened: self = .opening(try LogOpening(encoded: Array(bytes[start...])))
            case .memberAdmitted:
                self = .admission(try MemberAdmission(encoded: Array(bytes[start...])))
            case .memberRemoved:
                self = .removal(try MemberRemoval(encoded: Array(bytes[start...])))
            default: self = .payload(try Payload(encoded: bytes, at: start))
            }
        } catch {
            self = .undecodable
        }
    }
}
