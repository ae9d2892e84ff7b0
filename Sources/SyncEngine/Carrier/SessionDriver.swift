internal import Ledger

/// Runs one session over one stream, from greeting to end; knows nothing of events.
package struct SessionDriver {
    /// Reading pauses while this much waits to leave: a peer that does not read is not served.
    private static let outboundMax = 16 << 20
    private static let readLength = 64 << 10
    private static let pollMilliseconds: Int32 = 1000
    /// How long the last bytes may take to leave.
    private static let farewellMillisecondsMax: Int64 = 5000

    private let stream: any ByteStream
    private let clock: () -> Int64
    private var session: Session
    private var outbound: [UInt8] = []
    private var sent = 0
    private var ending: Result<SyncReport, SyncError>?

    package init(_ session: Session, over stream: any ByteStream, clock: @escaping () -> Int64) {
        self.session = session
        self.stream = stream
        self.clock = clock
    }

    /// Merges both ways and ends.
    ///
    /// - Returns: the report; it also tells of a session that broke off after the greeting.
    /// - Throws: what kept the two from greeting each other.
    package mutating func run() throws(SyncError) -> SyncReport {
        do throws(SyncError) {
            take(session.start())
            while ending == nil { try step() }
            try flush()
        } catch {
            // The session's own end, if it came to one, says more than the broken line does.
            if ending == nil {
                _ = session.closed()
                ending = .failure(error)
            }
        }
        switch ending {
        case .success(let report): return report
        case .failure(let error): return try partialReport(error)
        case nil: return session.report
        }
    }

    private func partialReport(_ error: SyncError) throws(SyncError) -> SyncReport {
        guard session.report.rounds > 0 else { throw error }
        var report = session.report
        report.failure = error
        return report
    }

    private mutating func step() throws(SyncError) {
        if sent == outbound.count {
            outbound.removeAll(keepingCapacity: true)
            sent = 0
            take(session.drained())
        }
        let waiting = outbound.count - sent
        let ready = try stream.wait(
            forReading: waiting < Self.outboundMax, forWriting: waiting > 0,
            milliseconds: Self.pollMilliseconds)
        if ready.canWrite { try write() }
        if ready.canRead, let bytes = try stream.read(upTo: Self.readLength) {
            take(bytes.isEmpty ? session.closed() : session.receive(bytes))
        }
        take(session.tick(clock()))
    }

    /// A peer that closed may have said why: what it sent last is still read.
    private mutating func write() throws(SyncError) {
        do throws(SyncError) { sent += try stream.write(outbound[sent...]) } catch {
            guard error.code == .closed else { throw error }
            sent = outbound.count
        }
    }

    private mutating func take(_ actions: [SessionAction]) {
        for action in actions {
            switch action {
            case .send(let bytes): outbound += bytes
            case .done(let report): ending = .success(report)
            case .failed(let error): ending = .failure(error)
            }
        }
    }

    /// Passes on the last words, for as long as that is worth waiting.
    private mutating func flush() throws(SyncError) {
        let start = clock()
        while sent < outbound.count, clock() - start < Self.farewellMillisecondsMax {
            let ready = try stream.wait(
                forReading: false, forWriting: true, milliseconds: Self.pollMilliseconds)
            if ready.canWrite { try write() }
        }
    }
}
