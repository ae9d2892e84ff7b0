/// What is known of a stored event's payload, read in place; valid as long as the bytes are.
///
/// The counterpart of ``Event/Content`` for who only judges.
enum ScannedBody {
    case payload(PayloadScan)
    /// The opening of a log, an admission or a removal, which decodes.
    case other
    /// The payload is here and is not canonical or not understood.
    case undecodable(UnsafeRawBufferPointer)
    case missing
    case erased

    /// Reads what a row holds.
    ///
    /// - Parameters:
    ///   - kind: the header's.
    ///   - body: salt and payload; nil when they never came, shorter than a salt when erased.
    init(_ kind: EventKind, _ body: UnsafeRawBufferPointer?) {
        guard let body else {
            self = .missing
            return
        }
        guard body.count >= StoredRow.saltLength else {
            self = .erased
            return
        }
        let payload = UnsafeRawBufferPointer(rebasing: body[StoredRow.saltLength...])
        switch kind {
        case .logOpened, .memberAdmitted, .memberRemoved:
            let content = Event.Content(kind, [UInt8](payload))
            self = content == .undecodable ? .undecodable(payload) : .other
        default: self = PayloadScan(payload).map(Self.payload) ?? .undecodable(payload)
        }
    }
}
