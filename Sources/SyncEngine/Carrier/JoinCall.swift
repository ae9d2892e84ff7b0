public import Ledger

/// Calls whoever invited this replica, shows the invitation, and merges in the same connection.
///
/// ```swift
/// let tablet = try Ledger.join(invitation, at: directory)
/// let report: SyncReport = try JoinCall(invitation, of: tablet).run()
/// ```
public struct JoinCall: Sendable {
    private static let answerMillisecondsMax: Int64 = 10_000

    let invitation: Invitation
    let ledger: Ledger
    let answerMilliseconds: Int64

    /// Names an invitation and the replica that came with it; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - invitation: with a token and at least one address.
    ///   - ledger: the new replica's ledger.
    public init(_ invitation: Invitation, of ledger: Ledger) {
        self.init(invitation, of: ledger, answerMilliseconds: Self.answerMillisecondsMax)
    }

    package init(_ invitation: Invitation, of ledger: Ledger, answerMilliseconds: Int64) {
        self.invitation = invitation
        self.ledger = ledger
        self.answerMilliseconds = answerMilliseconds
    }

    /// Tries the addresses one after the other until the inviter answers at one of them.
    ///
    /// The same replica may try again with the same invitation, as often as it likes, after
    /// whatever broke it off: it is admitted once. Blocks as ``TCPSync/sync()`` does.
    ///
    /// - Returns: what the merge did.
    /// - Throws: `invitationUsed`, `invitationExpired` or `invitationRevoked` as the inviter says;
    ///   `refused` when it does not know the invitation or cannot admit; `notFound`, `closed` or
    ///   `timedOut` when it was not reached; `invalid` for an invitation without token or address.
    @discardableResult
    public func run() throws(SyncError) -> SyncReport {
        guard let pass = invitation.pass, !invitation.addresses.isEmpty else {
            throw SyncError(
                .invalid, "The invitation names no address; join through a folder instead.")
        }
        let request = try fromLedger { () throws(LedgerError) in try ledger.joinRequest(pass) }
        var failure = SyncError(.notFound, "The inviter was not reached.")
        for address in invitation.addresses {
            let stream: TLSStream
            do throws(SyncError) {
                let peer = try PeerAddress("\(invitation.inviter)@\(address)")
                stream = try TCPSync(peer, of: ledger).connect()
            } catch {
                failure = error
                continue
            }
            try knock(request, stream)
            let report = try Session.run(.initiator, log: ledger, over: stream)
            guard report.peer == invitation.inviter else {
                throw SyncError(
                    .refused, "The peer greeted under another id than its key's; it was dropped.")
            }
            return report
        }
        throw failure
    }

    private func knock(_ request: JoinRequest, _ stream: TLSStream) throws(SyncError) {
        var unsent =
            Knock(token: request.token, sealingKey: request.sealingKey).encoded[...]
        let end = MonotonicClock.milliseconds() + answerMilliseconds
        var splitter = FrameSplitter()
        while true {
            let left = end - MonotonicClock.milliseconds()
            guard left > 0 else { throw Self.unanswered }
            let ready = try stream.wait(
                forReading: true, forWriting: !unsent.isEmpty, milliseconds: Int32(clamping: left))
            if ready.canWrite, !unsent.isEmpty {
                unsent = unsent.dropFirst(try stream.write(unsent))
            }
            guard ready.canRead, let bytes = try stream.read(upTo: 1024) else { continue }
            guard !bytes.isEmpty else { throw Self.unanswered }
            splitter.append(bytes)
            guard let frame = try splitter.next() else { continue }
            return try Self.check(try KnockAnswer.decode(frame))
        }
    }

    private static let unanswered = SyncError(
        .refused,
        "The inviter does not know this invitation, or cannot take it now; try again later, or "
            + "ask for a new one.")

    /// - Throws: unless the replica was admitted.
    package static func check(_ outcome: JoinOutcome) throws(SyncError) {
        switch outcome {
        case .admitted: return
        case .used:
            throw SyncError(
                .invitationUsed,
                "Another replica was admitted with this invitation; ask for a new one. If you did "
                    + "not use it, somebody else has read it: tell the inviter.")
        case .expired:
            throw SyncError(
                .invitationExpired, "The invitation has expired; ask for a new one.")
        case .revoked:
            throw SyncError(
                .invitationRevoked,
                "The invitation was revoked, or its maker restored or moved since; ask for a new "
                    + "one.")
        case .removed:
            throw SyncError(
                .refused,
                "This replica was removed from the ledger; only the recovery key brings "
                    + "it back, or join as a new one in another directory.")
        case .powerless:
            throw SyncError(
                .refused,
                "The inviter is no member of the ledger any more and cannot admit; ask "
                    + "another member for an invitation.")
        }
    }
}
