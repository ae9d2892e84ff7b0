/// What one message or file may hold; anything larger is refused before memory is taken for it.
package enum WireLimits {
    /// A frame without its length field.
    package static let frameLengthMax = 1 << 20
    /// Of an interval in one frame: a slow line must bring a frame before the silence ends.
    package static let partLengthMax = 64 << 10
    /// An encoded interval; writers sign at least every 1 MiB, which an atomic batch may pass.
    package static let intervalLengthMax = 8 << 20
    /// The columns of an interval, expanded, and all its payloads together.
    package static let intervalContentMax = 16 << 20
    package static let intervalEventsMax = 65_536
    /// The logs of one ledger that a session speaks about.
    package static let tipsMax = 65_536
    package static let tipsPerFrameMax = 4096
    /// Sequences stay below 2^53, so that every JSON reader keeps them exact.
    package static let sizeMax: UInt64 = 1 << 53
    package static let reasonLengthMax = 512
}
