/// The kinds of frames; their codes are part of the protocol (`docs/SYNC.md`, "Frames").
package enum FrameType: UInt8, Sendable {
    case hello = 1
    case ranges = 2
    case want = 3
    case part = 4
    case end = 5
    case acknowledge = 6
    case setAside = 7
    case digest = 8
    case bye = 9
    case news = 10
    case ping = 11
    case pong = 12
    case push = 13
    case taken = 14
}

/// One frame: u32 length of what follows, type, flags, body.
package struct Frame: Sendable, Equatable {
    /// The receiver must end the session when it does not know the type.
    package static let mustUnderstand: UInt8 = 1
    package static let prefixLength = 4
    package static let headLength = 2

    package let type: UInt8
    package let flags: UInt8
    package let body: [UInt8]

    package init(type: UInt8, flags: UInt8 = 0, body: [UInt8]) {
        self.type = type
        self.flags = flags
        self.body = body
    }

    package static func encode(_ type: FrameType, _ body: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(reserving: body.count + 6)
        writer.fixed(UInt32(body.count + headLength))
        writer.byte(type.rawValue)
        writer.byte(mustUnderstand)
        writer.raw(body)
        return writer.bytes
    }
}

/// Cuts a stream of bytes into frames; holds at most one frame and what arrived with it.
package struct FrameSplitter: Sendable {
    private var buffer: [UInt8] = []
    private var start = 0

    package init() {}

    package mutating func append(_ bytes: [UInt8]) {
        if start > 0 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer += bytes
    }

    /// How many bytes wait for the rest of their frame.
    package var pending: Int { buffer.count - start }

    /// Whether there is a frame to take, or one that cannot be.
    var hasFrame: Bool {
        guard let length = nextLength else { return false }
        return length > WireLimits.frameLengthMax || pending >= Frame.prefixLength + length
    }

    /// What the next frame says of its length; nil until that has come.
    private var nextLength: Int? {
        guard pending >= Frame.prefixLength else { return nil }
        return buffer[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) }
    }

    /// The next whole frame; nil until more arrives.
    package mutating func next() throws(SyncError) -> Frame? {
        guard let length = nextLength else { return nil }
        guard length >= Frame.headLength, length <= WireLimits.frameLengthMax else {
            throw SyncError(
                .malformed, "A frame of \(length) bytes; it must have 2 to 1,048,576.")
        }
        guard pending >= Frame.prefixLength + length else { return nil }
        let body = start + Frame.prefixLength + Frame.headLength
        let end = start + Frame.prefixLength + length
        let frame = Frame(
            type: buffer[body - 2], flags: buffer[body - 1], body: Array(buffer[body..<end]))
        start = end
        return frame
    }
}
