/// What the projection judges a payload by, read in place.
///
/// One pass over the bytes that makes no text of what it only has to compare. It accepts exactly
/// what ``Payload/init(encoded:at:)`` accepts, which a test holds it to on mutated payloads.
struct PayloadScan {
    /// Names as they stand in the payload, valid as long as its bytes are.
    var subject: UnsafeRawBufferPointer?
    var device: UnsafeRawBufferPointer?
    var install: UnsafeRawBufferPointer?
    var resource: UnsafeRawBufferPointer?
    var fields = FactFields()
    /// A bit for each field below 64 that is there; bit 63 stands for all others.
    private var keys: UInt64 = 0

    /// Whether it says no more than that a resource is denied.
    var isBareDenial: Bool {
        fields.outcome == .denied && resource != nil
            && hasOnly(Key.resource, Key.scope, Key.outcome, Key.wall)
    }

    /// Whether it fits an `erased` event.
    var isBareErasure: Bool { hasOnly(Key.answers, Key.wall) }

    private func hasOnly(_ allowed: UInt64...) -> Bool {
        keys & ~allowed.reduce(0) { $0 | 1 << $1 } == 0
    }

    /// Nil when the bytes are not canonical or a known field holds what it may not.
    init?(_ payload: UnsafeRawBufferPointer) {
        var cursor = CBORCursor(payload)
        guard let count = cursor.count(major: 5) else { return nil }
        var previous: UInt64?
        for _ in 0..<count {
            guard let key = cursor.unsigned() else { return nil }
            if let previous, previous >= key { return nil }
            previous = key
            keys |= 1 << min(key, 63)
            guard take(key, &cursor) else { return nil }
        }
        guard cursor.isAtEnd else { return nil }
    }

    private typealias Key = Payload.Key

    private mutating func take(_ key: UInt64, _ cursor: inout CBORCursor) -> Bool {
        switch key {
        case Key.subject: return cursor.text(&subject)
        case Key.device: return cursor.text(&device)
        case Key.install: return cursor.text(&install)
        case Key.resource: return cursor.text(&resource)
        case Key.locale, Key.feature, Key.primer, Key.application, Key.applicationVersion,
            Key.surface, Key.idempotencyKey, Key.note:
            return cursor.text() != nil
        case Key.scope: return cursor.word(&fields.scope)
        case Key.outcome: return cursor.word(&fields.outcome)
        case Key.status: return cursor.word(&fields.status)
        case Key.authority: return cursor.word(&fields.authority)
        case Key.extent: return cursor.extent(&fields.extent)
        case Key.askedExtent: return cursor.extent(&fields.askedExtent)
        case Key.wall: return cursor.signed(&fields.wall)
        case Key.end: return cursor.signed(&fields.end)
        case Key.unit: return cursor.bytes32(&fields.unit)
        case Key.answers:
            var id: Bytes32?
            guard cursor.bytes32(&id) else { return false }
            fields.answers = id.map(EventID.init)
            return true
        default: return takeRest(key, &cursor)
        }
    }

    private mutating func takeRest(_ key: UInt64, _ cursor: inout CBORCursor) -> Bool {
        switch key {
        case Key.revision: return cursor.revision(&fields.revision)
        case Key.oldStatus:
            var word: PermissionStatus?
            return cursor.word(&word)
        case Key.unitKind:
            var word: CatalogUnitKind?
            return cursor.word(&word)
        case Key.oldExtent:
            var extent: Extent?
            return cursor.extent(&extent)
        case Key.windowStart, Key.windowEnd, Key.occurredAt:
            var time: Int64?
            return cursor.signed(&time)
        case Key.signingIdentity:
            guard let text = cursor.text() else { return false }
            fields.signingIdentity = String(decoding: text, as: UTF8.self)
            return true
        case Key.source:
            fields.hasSource = true
            return cursor.text() != nil
        case Key.buttons:
            guard let count = cursor.count(major: 4), count <= Payload.buttonsMax else {
                return false
            }
            for _ in 0..<count where cursor.text() == nil { return false }
            return true
        case Key.unitContent:
            return cursor.argument(major: 2).map { cursor.take($0) != nil } ?? false
        default:
            fields.hasUnknownFields = true
            return cursor.skip(depth: 0)
        }
    }
}

extension CBORCursor {
    fileprivate mutating func text(_ field: inout UnsafeRawBufferPointer?) -> Bool {
        field = text()
        return field != nil
    }

    fileprivate mutating func word<W: RawRepresentable<UInt8>>(_ field: inout W?) -> Bool {
        guard let number = unsigned(), number < 256 else { return false }
        field = W(rawValue: UInt8(truncatingIfNeeded: number))
        return field != nil
    }

    fileprivate mutating func extent(_ field: inout Extent?) -> Bool {
        guard let code = unsigned() else { return false }
        field = Extent(code: code)
        return field != nil
    }

    fileprivate mutating func signed(_ field: inout Int64?) -> Bool {
        field = signed()
        return field != nil
    }

    fileprivate mutating func bytes32(_ field: inout Bytes32?) -> Bool {
        guard let count = argument(major: 2), count == 32, let bytes = take(count),
            let base = bytes.baseAddress
        else { return false }
        field = Bytes32(at: base)
        return true
    }

    /// A revision in its shortest form, nearly always one small number.
    fileprivate mutating func revision(_ field: inout Revision?) -> Bool {
        guard let text = text() else { return false }
        if text.count == 1, text[0] >= 0x30, text[0] <= 0x39 {
            field = Revision(UInt32(text[0] - 0x30))
            return true
        }
        let words = String(decoding: text, as: UTF8.self)
        field = Revision(words)
        return field?.description == words
    }
}
