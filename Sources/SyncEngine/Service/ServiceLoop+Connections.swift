internal import Ledger

extension ServiceLoop {
    /// How many callers one turn takes from one listener.
    private static let callersPerTurn = 16
    private static let pauseWithoutDescriptors: Int64 = 1000

    /// Makes a connection of a socket.
    func make(
        over socket: SocketStream, calling peer: PeerAddress?, isLocal: Bool = false, _ now: Int64
    ) throws(SyncError) -> Connection {
        var options = SessionOptions()
        options.staysOpen = true
        // A batch at most, or a few digests: what a peer asks for must not keep the others waiting.
        options.workPerTick = SessionWork.batch
        options.batchLength = 256 << 10
        options.references = references
        let session = Session(peer == nil ? .responder : .initiator, log: log, options: options)
        var engine: TLSEngine?
        if !isLocal { engine = try TLSEngine(peer.map { .client($0.replica) } ?? .server, tls) }
        return Connection(
            over: socket, tls: engine, session: session, wanted: peer, now: now,
            authorize: { [unowned self] replica in
                peer == nil ? standing(of: replica) : isRemoved(replica) ? .stranger : .member
            },
            redeem: { [unowned self] in redeem($0) },
            request: { [unowned self] in request(to: $0) })
    }

    /// Whether the ledger knows a replica as one that may not merge any more.
    func isRemoved(_ replica: ReplicaID) -> Bool {
        guard configuration.authorize == nil else { return false }
        return (try? log.isMember(replica)) == false
    }

    /// Hangs up on those that were removed meanwhile.
    func dropRemoved() {
        for connection in connections where connection.isMember {
            guard let peer = connection.peer else { continue }
            let isGone = connection.isJudged ? standing(of: peer) == .stranger : isRemoved(peer)
            if isGone { connection.hangUp(.removedPeer) }
        }
    }

    private func redeem(_ request: JoinRequest) -> JoinOutcome? {
        do throws(LedgerError) {
            guard let outcome = try log.redeem(request) else { return nil }
            shared.tell(.invitationShown(request.replica, outcome))
            return outcome
        } catch {
            shared.tell(.troubled(SyncError(error)))
            return nil
        }
    }

    /// What this replica shows whom it calls, until it knows that it was admitted.
    private func request(to replica: ReplicaID) -> JoinRequest? {
        do throws(LedgerError) { return try log.pendingRequest(to: replica) } catch {
            shared.tell(.troubled(SyncError(error)))
            return nil
        }
    }

    private func standing(of replica: ReplicaID) -> PeerStanding {
        if let end = leftAlone[replica], now < end { return .stranger }
        if let authorize = configuration.authorize { return authorize(replica) }
        do throws(LedgerError) {
            // Whom the operator names is let in before the ledger has heard of it, not after it
            // was removed.
            let isMember = try log.isMember(replica) ?? (called[replica] != nil)
            return isMember ? .member : .stranger
        } catch {
            shared.tell(.troubled(SyncError(error)))
            return .stranger
        }
    }

    func accept(_ listener: ListeningSocket) {
        let start = now
        for _ in 0..<Self.callersPerTurn {
            do throws(SyncError) {
                guard let descriptor = try listener.accept() else { return }
                try take(descriptor, listener, start)
            } catch {
                // Most likely no descriptors are left: whoever waits will be taken later.
                acceptingFrom = start + Self.pauseWithoutDescriptors
                return shared.tell(.troubled(error))
            }
        }
    }

    private func take(
        _ descriptor: Int32, _ listener: ListeningSocket, _ now: Int64
    ) throws(SyncError) {
        let strangers = connections.filter(\.isStranger)
        if strangers.count >= limits.strangersMax {
            strangers.min { $0.startedAt < $1.startedAt }?.hangUp(nil)
        }
        let socket = try SocketStream(owning: descriptor)
        switch listener.kind {
        case .tcp:
            TCPSocket.tune(descriptor)
            connections.append(try make(over: socket, calling: nil, now))
        case .unix:
            guard UnixAddress.isSameUser(descriptor) else {
                shared.update { $0.strangersRefused += 1 }
                return shared.tell(.refusedStranger)
            }
            connections.append(try make(over: socket, calling: nil, isLocal: true, now))
        }
    }

    /// Ends what takes too long, and passes the time on.
    func watchTime(_ connection: Connection, _ now: Int64) {
        let age = now - (connection.isOwnCall ? connection.phaseSince : connection.startedAt)
        switch connection.phase {
        case .connecting, .handshaking, .asking, .knocking, .refused:
            guard age >= limits.handshakeMilliseconds else { return }
            connection.hangUp(
                SyncError(
                    .timedOut,
                    "The peer did not finish its handshake in time; check that it is reachable."))
        case .leaving:
            guard now - connection.phaseSince >= limits.farewellMilliseconds else { return }
            connection.hangUp(nil)
        case .greeting, .connected: connection.tick(now)
        case .ended: break
        }
    }

    /// Of two connections with one replica, ends the one that both sides give up.
    func settlePairs(_ now: Int64) {
        var kept: [ReplicaID: Connection] = [:]
        for connection in connections where connection.phase == .connected {
            guard let peer = connection.peer else { continue }
            guard let older = kept[peer] else {
                kept[peer] = connection
                continue
            }
            let keepsNewer = PairRule.keepsNewer(
                ownID: log.replica ?? ReplicaID(raw: .zero), peer: peer,
                olderIsOwn: older.isOwnCall, newerIsOwn: connection.isOwnCall)
            (keepsNewer ? older : connection).leave(now: now)
            if keepsNewer { kept[peer] = connection }
        }
        let members = connections.filter(\.isMember)
        for connection in members.dropFirst(limits.membersMax) {
            connection.hangUp(SyncError(.limit, "Too many members are connected."))
        }
    }

    /// Writes what changed about a connection into the snapshot, and says what is new.
    func note(_ connection: Connection) {
        guard let replica = connection.peer, !connection.isForgotten else { return }
        if connection.wasConnected, !connection.isTold {
            connection.isTold = true
            called[replica]?.backOff.succeed()
            shared.tell(.connected(replica))
            change(replica) { peer in
                peer.phase = .connected
                peer.connections += 1
                peer.failure = nil
                peer.nextCall = nil
                peer.beginConnection()
            }
        }
        guard connection.isTold else { return }
        if let (now, before) = connection.takeProgress() {
            if now.moved.hasStored { hasStored = true }
            change(replica) { peer in
                peer.add(now, since: before)
                peer.lastHeard = connection.lastHeard ?? peer.lastHeard
            }
        }
        if let report = connection.takeMerge() {
            shared.tell(.merged(replica, report))
            change(replica) { $0.add(report) }
        }
    }

    /// Lets go of what has ended.
    func sweep(_ now: Int64) {
        let ended = connections.filter { $0.phase == .ended }
        if !ended.isEmpty {
            connections.removeAll { $0.phase == .ended }
            for connection in ended { conclude(connection, now) }
        }
        let strangers = connections.count(where: \.isStranger)
        shared.update { $0.strangersOnLine = strangers }
    }

    private func conclude(_ connection: Connection, _ now: Int64) {
        guard let replica = connection.peer, connection.wasMember else {
            if connection.isOwnCall { return concludeCall(connection, now) }
            shared.update { $0.strangersRefused += 1 }
            return shared.tell(.refusedStranger)
        }
        guard !connection.isForgotten else { return shared.tell(.disconnected(replica, nil)) }
        if let error = connection.failure, error.isMisbehaviour {
            leftAlone[replica] = now + limits.misbehaviourMilliseconds
        }
        // Another connection with the same replica may be what this one gave way to.
        if connections.contains(where: { $0.peer == replica && $0.isMember }) { return }
        if let error = connection.failure { return missed(replica, error, now) }
        called[replica]?.nextCall = now + limits.pauseMilliseconds
        let next = called[replica]?.nextCall
        shared.tell(.disconnected(replica, nil))
        change(replica) { peer in
            peer.phase = .idle
            peer.nextCall = next
        }
    }

    /// A call that nobody answered as wanted.
    private func concludeCall(_ connection: Connection, _ now: Int64) {
        guard let replica = connection.wanted?.replica else { return }
        if connections.contains(where: { $0.peer == replica }) { return }
        if connection.wasConnected || !tryNextAddress(replica, now) {
            missed(
                replica,
                connection.failure ?? SyncError(.closed, "The peer closed the connection."), now)
        }
    }
}

extension SyncError {
    /// Whether the other side broke the protocol: it will again if it is asked again at once.
    var isMisbehaviour: Bool {
        code == .malformed || code == .limit || code == .notVerified
    }
}
