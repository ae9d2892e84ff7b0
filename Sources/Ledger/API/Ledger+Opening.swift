extension Ledger {
    private static let databaseName = "ledger.db"
    private static let keyName = "replica.key"

    /// Makes a new ledger.
    ///
    /// Its key and its first event are on the disk when this returns, which takes several fsyncs.
    ///
    /// - Parameters:
    ///   - directory: where it lives; made with mode 0700 if it is not there.
    ///   - environment: what it takes from outside.
    /// - Returns: the ledger, and the private half of the recovery pair, which is kept nowhere else.
    /// - Throws: `exists` when a ledger is there already, `io` when the directory cannot be made;
    ///   `noSpace`, `crypto`.
    public static func create(
        at directory: String, environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) -> (ledger: Ledger, recoveryKey: RecoveryKey) {
        let recovery = try SigningKey(seed: try environment.random(32))
        guard let nonce = Bytes16(try environment.random(16)) else {
            throw LedgerError(.crypto, "The random source returned too few bytes.")
        }
        let founding = LogOpening.Founding(recoveryKey: recovery.publicKey, nonce: nonce)
        let ledgerKey = try environment.random(32)
        let ledger = try make(at: directory, environment) {
            (store, keys) throws(LedgerError) -> LogOpening.Founding? in
            let id = try LedgerIdentity.ledgerID(
                founder: keys.replica, recoveryKey: founding.recoveryKey, nonce: nonce)
            try store.setMeta(.ledger, id.bytes)
            try store.setMeta(.ledgerKey, ledgerKey)
            return founding
        }
        return (ledger, RecoveryKey(seed: recovery.seed))
    }

    /// Makes a new replica of the ledger that an invitation names.
    ///
    /// Reaches nobody: merge it afterwards. Costs what ``create(at:environment:)`` does.
    ///
    /// - Parameters:
    ///   - invitation: what the inviter's ``invite(name:milliseconds:addresses:)`` returned.
    ///   - directory: where the new replica lives.
    ///   - environment: what it takes from outside.
    /// - Returns: the new replica's ledger, which holds only its own first event until it merges.
    /// - Throws: as ``create(at:environment:)``.
    public static func join(
        _ invitation: Invitation, at directory: String,
        environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) -> Ledger {
        try make(at: directory, environment) {
            (store, _) throws(LedgerError) -> LogOpening.Founding? in
            try store.setMeta(.ledger, invitation.ledger.bytes)
            try store.setMeta(.ledgerKey, invitation.key)
            if invitation.pass != nil {
                try store.setMeta(.invitation, Array(invitation.text.utf8))
            }
            return nil
        }
    }

    /// Makes the files of a new replica; `found` writes what the ledger is.
    private static func make(
        at directory: String, _ environment: LedgerEnvironment,
        found: (EventStore, ReplicaKeys) throws(LedgerError) -> LogOpening.Founding?
    ) throws(LedgerError) -> Ledger {
        try Files.makeDirectory(directory)
        let path = "\(directory)/\(databaseName)"
        let keyPath = "\(directory)/\(keyName)"
        if !Files.exists(path) { try Files.writeNew([], to: path) }
        let store = try EventStore.open(
            path, mode: .readWrite, lockWaitMilliseconds: environment.lockWaitMilliseconds)
        try store.beginWrite()
        do throws(LedgerError) {
            // Under the lock: two may want to make it, and a cut-off attempt left no ledger.
            guard try store.meta(.ledger) == nil else {
                throw LedgerError(
                    .exists, "\(directory) holds a ledger already; name another directory.")
            }
            let keys = try keys(at: keyPath, environment)
            let founding = try found(store, keys)
            let core = try Core.opening(store, keys, founding, environment)
            try store.commit()
            return Ledger(core)
        } catch {
            store.rollback()
            throw error
        }
    }

    /// The replica's keys: those of an attempt that was cut off, or new ones.
    private static func keys(
        at path: String, _ environment: LedgerEnvironment
    ) throws(LedgerError) -> ReplicaKeys {
        if let keys = try ReplicaKeys(readFrom: path) { return keys }
        let keys = try ReplicaKeys(random: environment.random)
        try keys.write(to: path)
        return keys
    }

    /// Opens a ledger.
    ///
    /// Several processes, and several values in one process, may have the same one open. Opening
    /// reads no events but the own last one; a database of an older version is brought up to date
    /// first, where it is opened for writing.
    ///
    /// - Parameters:
    ///   - directory: where it lives.
    ///   - access: what it is opened for.
    ///   - environment: what it takes from outside.
    /// - Throws: `notFound`, `newerSchema`, `damaged`, `busy`, or `io`.
    public convenience init(
        openAt directory: String, access: Access = .readWrite,
        environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) {
        let path = "\(directory)/\(Self.databaseName)"
        guard Files.exists(path) else {
            if Files.isForbidden(path) { throw .file("open", path) }
            throw LedgerError(
                .notFound, "\(directory) holds no ledger; make one there, or name its directory.")
        }
        try Self.checkNotEmpty(path)
        guard access == .readWrite else {
            try self.init(reading: path, environment)
            return
        }
        let keys = try ReplicaKeys(
            readFrom: environment.keyFile ?? "\(directory)/\(Self.keyName)")
        let store = try EventStore.open(
            path, mode: .readWrite, lockWaitMilliseconds: environment.lockWaitMilliseconds)
        self.init(
            try Core(store: store, access: .readWrite, keys: keys, environment: environment))
    }

    /// Opens a copy of a ledger's database, such as a backup, for reading.
    ///
    /// A write-ahead log that lies beside the copy is read with it: then both are copied to a
    /// temporary directory first, and removed from there with this value.
    ///
    /// - Parameters:
    ///   - file: the database file.
    ///   - environment: what it takes from outside.
    /// - Throws: as ``init(openAt:access:environment:)``.
    public convenience init(
        openCopy file: String, environment: LedgerEnvironment = LedgerEnvironment()
    ) throws(LedgerError) {
        guard Files.exists(file) else {
            throw LedgerError(.notFound, "\(file) is not there; name the copy's file.")
        }
        try Self.checkNotEmpty(file)
        try self.init(reading: file, environment, isCopy: true)
    }

    /// An empty file would be filled as if it were a new database.
    private static func checkNotEmpty(_ path: String) throws(LedgerError) {
        guard Files.size(path) == 0, Files.size(path + "-wal") ?? 0 == 0 else { return }
        throw LedgerError(
            .damaged,
            "\(path) is empty: it was cut off, or making it broke off. Restore a backup beside it, "
                + "or make a new ledger there.")
    }

    private convenience init(
        reading path: String, _ environment: LedgerEnvironment, isCopy: Bool = false
    ) throws(LedgerError) {
        let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let isLive = !isCopy && Files.isWritable(directory.isEmpty ? "/" : directory)
        let hasTail = (Files.size(path + "-wal") ?? 0) > 0
        let copy = !isLive && hasTail ? try TemporaryCopy(of: path) : nil
        var mode = isLive || hasTail ? Database.Mode.readOnly : .immutable
        if isLive, Files.isWritable(path) { mode = .queryOnly }
        let store = try EventStore.open(
            copy?.path ?? path, mode: mode,
            lockWaitMilliseconds: environment.lockWaitMilliseconds)
        let core = try Core(
            store: store, access: .readOnly, keys: nil, environment: environment)
        core.temporaryCopy = copy
        self.init(core, mode: mode)
    }
}
