import Ledger

@testable import SyncEngine

/// Two sessions joined by a line in memory that can be cut and that delivers in any portions.
struct Link {
    struct Outcome {
        var initiator: Result<SyncReport, SyncError>?
        var responder: Result<SyncReport, SyncError>?
        var bytesDelivered = 0
        /// The most bytes that waited on the line in one direction.
        var bytesWaitingMax = 0
    }

    var initiator: Session
    var responder: Session
    /// Called after each delivery, for what happens meanwhile.
    var meanwhile: (Int) throws -> Void = { _ in }

    init(
        _ initiator: any ReplicaLog, _ responder: any ReplicaLog,
        options: SessionOptions = SessionOptions()
    ) {
        self.initiator = Session(.initiator, log: initiator, options: options)
        self.responder = Session(.responder, log: responder, options: options)
    }

    /// Runs to the end, or until `cut` bytes were delivered in both directions together.
    mutating func run(
        cut: Int = .max, portion: (Int) -> Int = { $0 }
    ) throws -> Outcome {
        var outcome = Outcome()
        var (toResponder, toInitiator): ([UInt8], [UInt8]) = ([], [])
        func note(
            _ actions: [SessionAction], _ line: inout [UInt8],
            _ result: inout Result<SyncReport, SyncError>?
        ) {
            for action in actions {
                switch action {
                case .send(let bytes): line += bytes
                case .done(let report): result = .success(report)
                case .failed(let error): result = .failure(error)
                }
            }
        }
        note(initiator.start(), &toResponder, &outcome.initiator)
        note(responder.start(), &toInitiator, &outcome.responder)
        for _ in 0..<1_000_000 {
            if toResponder.isEmpty { note(initiator.drained(), &toResponder, &outcome.initiator) }
            if toInitiator.isEmpty { note(responder.drained(), &toInitiator, &outcome.responder) }
            outcome.bytesWaitingMax = max(
                outcome.bytesWaitingMax, toResponder.count, toInitiator.count)
            if toResponder.isEmpty, toInitiator.isEmpty { break }
            for toLeft in [false, true] {
                let waiting = toLeft ? toInitiator.count : toResponder.count
                let count = min(portion(waiting), waiting, cut - outcome.bytesDelivered)
                outcome.bytesDelivered += count
                guard count > 0 else { continue }
                if toLeft {
                    let bytes = Array(toInitiator.prefix(count))
                    toInitiator.removeFirst(count)
                    note(initiator.receive(bytes), &toResponder, &outcome.initiator)
                } else {
                    let bytes = Array(toResponder.prefix(count))
                    toResponder.removeFirst(count)
                    note(responder.receive(bytes), &toInitiator, &outcome.responder)
                }
                try meanwhile(outcome.bytesDelivered)
            }
            if outcome.bytesDelivered >= cut { break }
        }
        note(initiator.closed(), &toResponder, &outcome.initiator)
        note(responder.closed(), &toInitiator, &outcome.responder)
        return outcome
    }
}

/// Merges two replicas and gives the initiator's report.
@discardableResult
func merge(_ left: any ReplicaLog, _ right: any ReplicaLog) throws -> SyncReport {
    var link = Link(left, right)
    guard let result = try link.run().initiator else {
        throw SyncError(.closed, "The session came to no end.")
    }
    return try result.get()
}

/// Whether a session came to its end with both sides equal.
func succeeded(_ result: Result<SyncReport, SyncError>?) throws -> Bool {
    try result?.get().isInSync ?? false
}
