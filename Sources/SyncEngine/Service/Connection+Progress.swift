internal import Ledger

/// What the service tells of a connection, each thing once.
extension Connection {
    /// What it has told already.
    struct Told {
        /// That both sides have merged.
        var hasMerge = false
        /// What the session did before its end.
        var hasEnd = false
        var progress = Progress()
    }

    /// Whether a key was proven to this side, which did not call: the ledger says whether it may.
    var isJudged: Bool { !isOwnCall && line.tls != nil }

    /// How far it has come.
    struct Progress: Equatable {
        var bytesReceived = 0
        var bytesSent = 0
        var moved = Moved()
        var held: [LogID: UInt64] = [:]
        var isInSync = false
    }

    /// What has changed since this was asked last, as it is now and as it was; nil for nothing.
    func takeProgress() -> (now: Progress, before: Progress)? {
        let before = told.progress
        let new = Progress(
            bytesReceived: bytesReceived, bytesSent: bytesSent, moved: session.moved,
            held: session.takeHeld(), isInSync: session.report.isInSync)
        guard new != before else { return nil }
        told.progress = new
        told.progress.held = [:]
        told.progress.moved.hasStored = false
        return (new, before)
    }

    /// What was merged since this was asked last, once both sides have come to rest.
    func takeMerge() -> SyncReport? {
        guard phase != .connected else {
            let merge = session.takeMerge()
            if merge != nil { told.hasMerge = true }
            return merge
        }
        guard wasConnected, !told.hasEnd, let report else { return nil }
        told.hasEnd = true
        return !told.hasMerge || report.hasMoved ? report : nil
    }
}

extension Session {
    /// How far the peer has each log of which it has said so since this was asked last.
    mutating func takeHeld() -> [LogID: UInt64] {
        defer { held = [:] }
        return held
    }
}
