/// How an event lies in a row: the header without the bytes that other stored bytes imply.
///
/// Its place in the log implies magic, log id and sequence, and the body, while it is here,
/// implies payload length and commitment. In front stand the first four bytes of the event's id,
/// by which `verify` can name a changed event before the next checkpoint.
enum StoredRow {
    static let checkLength = 4
    static let saltLength = 16
    private static let impliedLength = EventHeader.Offset.timestamp
    /// Check, timestamp, kind, flags, number of replaced ids and subject tag.
    private static let fixedLength =
        checkLength + EventHeader.Offset.payloadLength - EventHeader.Offset.timestamp

    /// Where a row's head begins in an encoded header that was prepared for storing.
    static func headStart(hasBody: Bool) -> Int {
        hasBody ? EventHeader.fixedLength - fixedLength : impliedLength - checkLength
    }

    /// Encodes and hashes a header.
    ///
    /// - Returns: the event's id.
    static func encode(
        _ header: EventHeader, into scratch: inout [UInt8], _ digester: Digester
    ) -> EventID {
        encode(header, into: &scratch)
        return EventID(raw: scratch.withUnsafeBytes { digester.leaf($0) })
    }

    static func encode(_ header: EventHeader, into scratch: inout [UInt8]) {
        let length = header.encodedLength
        if scratch.count > length {
            scratch.removeLast(scratch.count - length)
        } else if scratch.count < length {
            scratch.append(contentsOf: repeatElement(0, count: length - scratch.count))
        }
        scratch.withUnsafeMutableBytes { header.encode(into: $0) }
    }

    /// Turns an encoded header into one whose tail, from ``headStart(hasBody:)`` on, is the head.
    static func prepare(_ scratch: inout [UInt8], id: EventID, hasBody: Bool) {
        scratch.withUnsafeMutableBytes { buffer in
            // The check overwrites the tail of the sequence, which the row does not keep.
            let start = impliedLength - checkLength
            buffer.storeBytes(
                of: UInt32(truncatingIfNeeded: id.raw.a >> 32).bigEndian, toByteOffset: start,
                as: UInt32.self)
            guard hasBody, let base = buffer.baseAddress else { return }
            // Length and commitment give way: what stands before them moves over them.
            (base + headStart(hasBody: true)).copyMemory(from: base + start, byteCount: fixedLength)
        }
    }

    /// The header's bytes as they were received.
    static func headerBytes(
        log: LogID, sequence: UInt64, head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?,
        _ digester: Digester
    ) -> [UInt8] {
        let length = headerLength(head: head, body: body)
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            count = length
            let raw = UnsafeMutableRawBufferPointer(
                rebasing: UnsafeMutableRawBufferPointer(buffer)[..<length])
            restore(
                into: raw, log: log, sequence: sequence, head: head, body: body, digester)
        }
    }

    /// How many bytes ``restore(into:log:sequence:head:body:_:)`` writes.
    static func headerLength(
        head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?
    ) -> Int {
        headStart(hasBody: hasBody(body)) + max(head.count, checkLength)
    }

    private static func hasBody(_ body: UnsafeRawBufferPointer?) -> Bool {
        (body?.count ?? 0) >= saltLength
    }

    /// Writes the header's bytes as they were received; a head that was cut off gives one that
    /// does not decode.
    static func restore(
        into raw: UnsafeMutableRawBufferPointer, log: LogID, sequence: UInt64,
        head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?, _ digester: Digester
    ) {
        let implied = headStart(hasBody: hasBody(body))
        if head.count < fixedLength { raw.initializeMemory(as: UInt8.self, repeating: 0) }
        guard let base = raw.baseAddress, let source = head.baseAddress else { return }
        (base + implied).copyMemory(from: source, byteCount: head.count)
        if let body, hasBody(body), head.count >= fixedLength {
            (base + impliedLength - checkLength).copyMemory(from: source, byteCount: fixedLength)
            let commitment = digester.digest(body)
            raw.storeBytes(
                of: UInt32(truncatingIfNeeded: body.count - saltLength).bigEndian,
                toByteOffset: EventHeader.Offset.payloadLength, as: UInt32.self)
            commitment.withBytes {
                (base + EventHeader.Offset.commitment).copyMemory(
                    from: $0.baseAddress ?? source, byteCount: 32)
            }
        }
        raw.storeBytes(of: EventHeader.magic.bigEndian, as: UInt32.self)
        raw.storeBytes(of: log.raw.a.bigEndian, toByteOffset: 4, as: UInt64.self)
        raw.storeBytes(of: log.raw.b.bigEndian, toByteOffset: 12, as: UInt64.self)
        raw.storeBytes(of: sequence.bigEndian, toByteOffset: 20, as: UInt64.self)
    }

    /// The check stored in front of the header.
    static func check(_ head: UnsafeRawBufferPointer) -> UInt32 {
        head.count < 4 ? 0 : UInt32(bigEndian: head.loadUnaligned(as: UInt32.self))
    }

    /// The event's kind, without decoding the rest.
    static func kind(_ head: UnsafeRawBufferPointer) -> EventKind {
        let offset = checkLength + EventHeader.Offset.kind - impliedLength
        guard head.count >= offset + 2 else { return EventKind(code: 0) }
        return EventKind(
            code: UInt16(bigEndian: head.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }

    /// The subject's tag, without decoding the rest.
    static func tagPrefix(_ head: UnsafeRawBufferPointer) -> UInt64 {
        let offset = checkLength + EventHeader.Offset.subjectTag - impliedLength
        guard head.count >= offset + 8 else { return 0 }
        return UInt64(bigEndian: head.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The whole event.
    static func event(
        log: LogID, sequence: UInt64, head: UnsafeRawBufferPointer, body: UnsafeRawBufferPointer?,
        _ digester: Digester
    ) throws(LedgerError) -> Event {
        let bytes = headerBytes(log: log, sequence: sequence, head: head, body: body, digester)
        let header = try EventHeader(bytes: bytes)
        let id = EventID(raw: bytes.withUnsafeBytes { digester.leaf($0) })
        guard let body, body.count >= saltLength else {
            return Event(
                id: id, header: header, body: [], content: body == nil ? .missing : .erased)
        }
        return Event(id: id, header: header, body: [UInt8](body))
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

extension EventHeader {
    /// The event's id, computed in memory that is kept for it.
    package func id(_ digester: Digester, in scratch: inout [UInt8]) -> EventID {
        StoredRow.encode(self, into: &scratch, digester)
    }
}
