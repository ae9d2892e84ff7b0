internal import Ledger

extension ServiceLoop {
    func add(_ peer: PeerAddress) {
        guard peer.replica != log.replica else {
            return shared.tell(
                .troubled(SyncError(.invalid, "A replica cannot be its own peer; it is left out.")))
        }
        called[peer.replica] = Called(
            address: peer,
            backOff: BackOff(
                least: limits.backOffMillisecondsMin, most: limits.backOffMillisecondsMax),
            nextCall: now)
        change(peer.replica) { $0.address = peer.address }
    }

    func remove(_ replica: ReplicaID) {
        called[replica] = nil
        let end = now
        for connection in connections where connection.peer == replica {
            connection.isForgotten = true
            connection.leave(now: end)
        }
        shared.update { snapshot in snapshot.peers.removeAll { $0.replica == replica } }
    }

    /// Calls everybody who is not connected, whatever the pause, and compares with the others.
    func callNow() {
        let start = now
        for replica in called.keys where called[replica]?.nextCall != nil {
            called[replica]?.nextCall = start
        }
        leftAlone = [:]
        for connection in connections { connection.compareSoon() }
    }

    /// Makes the calls that are due.
    func makeCalls(_ now: Int64) {
        for (replica, entry) in called.sorted(by: { $0.key < $1.key }) {
            guard let due = entry.nextCall, due <= now else { continue }
            if connections.contains(where: { $0.peer == replica && $0.isMember }) {
                called[replica]?.nextCall = now + limits.pauseMilliseconds
                continue
            }
            called[replica]?.nextCall = nil
            guard !isRemoved(replica) else {
                missed(replica, .removedPeer, now)
                continue
            }
            shared.tell(.calling(entry.address))
            change(replica) { $0.phase = .calling }
            call(entry.address, now)
        }
    }

    private func call(_ peer: PeerAddress, _ now: Int64) {
        switch peer.address.kind {
        case .unix(let path):
            attempt(peer, now) { () throws(SyncError) in
                let address = try UnixAddress(path)
                return try SocketStream.connecting(try UnixAddress.makeSocket(), to: address)
            }
        case .tcp(let host, let port):
            // An address in digits asks nobody; a name may take its time, on another thread.
            if let numeric = try? InternetAddress.resolve(host, port: port, isNumeric: true) {
                return resolved(peer.replica, .success(numeric))
            }
            let shared = shared
            let replica = peer.replica
            let thread = PosixThread {
                let result = Result { () throws(SyncError) in
                    try InternetAddress.resolve(host, port: port)
                }
                shared.send(.resolved(replica, result))
            }
            guard let thread else { return missed(replica, .noThread, now) }
            thread.detach()
        }
    }

    func resolved(_ replica: ReplicaID, _ result: Result<[InternetAddress], SyncError>) {
        guard called[replica] != nil else { return }
        switch result {
        case .success(let addresses):
            called[replica]?.untried = addresses[...]
            tryNextAddress(replica, now)
        case .failure(let error): missed(replica, error, now)
        }
    }

    /// Tries the next address of a host.
    ///
    /// - Returns: false when there is none left.
    @discardableResult
    func tryNextAddress(_ replica: ReplicaID, _ now: Int64) -> Bool {
        guard let peer = called[replica]?.address,
            let address = called[replica]?.untried.popFirst()
        else { return false }
        attempt(peer, now) { () throws(SyncError) in
            try SocketStream(owning: try TCPSocket.connect(to: address))
        }
        return true
    }

    private func attempt(
        _ peer: PeerAddress, _ now: Int64, _ connect: () throws(SyncError) -> SocketStream
    ) {
        var isLocal = false
        if case .unix = peer.address.kind { isLocal = true }
        do throws(SyncError) {
            let socket = try connect()
            connections.append(try make(over: socket, calling: peer, isLocal: isLocal, now))
        } catch {
            if !tryNextAddress(peer.replica, now) { missed(peer.replica, error, now) }
        }
    }

    /// Counts a call that came to nothing, and sets the time of the next.
    func missed(_ replica: ReplicaID, _ error: SyncError, _ now: Int64) {
        let pause = called[replica]?.backOff.fail(configuration.environment.random)
        let next = pause.map { max(now + $0, leftAlone[replica] ?? now) }
        called[replica]?.nextCall = next
        // It may have called meanwhile.
        let isConnected = connections.contains { $0.peer == replica && $0.phase == .connected }
        if !isConnected { shared.tell(.disconnected(replica, error)) }
        change(replica) { peer in
            peer.failures[error.code, default: 0] += 1
            guard !isConnected else { return }
            peer.phase = next == nil ? .idle : .waiting
            peer.failure = error
            peer.nextCall = next
        }
    }

    /// Changes what the snapshot says of a peer.
    func change(_ replica: ReplicaID, _ body: (inout PeerState) -> Void) {
        shared.update { snapshot in
            let place = snapshot.peers.firstIndex { $0.replica >= replica } ?? snapshot.peers.count
            if place == snapshot.peers.count || snapshot.peers[place].replica != replica {
                snapshot.peers.insert(PeerState(replica), at: place)
            }
            body(&snapshot.peers[place])
        }
    }
}
