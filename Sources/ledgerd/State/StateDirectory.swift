internal import Ledger

/// Where the ledger lives.
enum StateDirectory {
    /// `--dir`, `LEDGERD_DIR`, or the XDG Base Directory Specification's state directory.
    ///
    /// - Throws: `configuration` when none of them is given: no restart would help.
    static func path(option: String?, _ console: any Console) throws(Failure) -> String {
        if let option {
            guard !option.isEmpty else { throw .usage("--dir is empty; name a directory.") }
            return option
        }
        if let path = console.variable("LEDGERD_DIR") { return path }
        // The specification has relative paths ignored.
        if let state = console.variable("XDG_STATE_HOME"), state.hasPrefix("/") {
            return "\(state)/ledgerd"
        }
        if let home = console.variable("HOME"), home.hasPrefix("/") {
            return "\(home)/.local/state/ledgerd"
        }
        throw Failure(
            .configuration, code: "configuration",
            "No state directory is given and HOME is not set; add --dir DIR or set LEDGERD_DIR.")
    }
}

extension Invocation {
    func directory() throws(Failure) -> String {
        try StateDirectory.path(option: value("dir"), console)
    }

    /// Opens the ledger for recording or merging; says so where a sync program might copy it.
    func openForWriting() throws(Failure) -> Ledger {
        let directory = try directory()
        if let folder = SyncedFolder.find(directory) {
            printer.message(
                "Warning: the state directory lies in a folder that \(folder) copies; a database "
                    + "copied while it is written can be damaged. Move it out and use sync folder.")
        }
        return try open(directory, .readWrite)
    }

    /// Opens the ledger for reading.
    func openForReading() throws(Failure) -> Ledger { try open(try directory(), .readOnly) }

    func open(
        _ directory: String, _ access: Ledger.Access, _ environment: LedgerEnvironment? = nil
    ) throws(Failure) -> Ledger {
        do {
            return try Ledger(
                openAt: directory, access: access,
                environment: environment ?? console.ledgerEnvironment)
        } catch {
            guard error.code == .notFound else { throw Failure(error) }
            throw Failure(
                .noInput, code: error.code.description,
                "\(error.message) Run ledgerd init or ledgerd join, or name another place "
                    + "with --dir.")
        }
    }

    /// Opens the ledger for the length of `body`, signs and closes it.
    func writing(
        _ body: (Ledger) throws(Failure) -> ExitCode
    ) throws(Failure) -> ExitCode {
        if let host { return try body(host.ledger) }
        let ledger = try openForWriting()
        return try close(ledger, after: body)
    }

    /// Opens the ledger for reading for the length of `body`.
    func reading(
        _ body: (Ledger) throws(Failure) -> ExitCode
    ) throws(Failure) -> ExitCode {
        if let host { return try body(host.ledger) }
        let ledger = try openForReading()
        return try close(ledger, after: body)
    }

    /// Opens the ledger with its key where it can be written, else for reading.
    func asMember(
        _ body: (Ledger) throws(Failure) -> ExitCode
    ) throws(Failure) -> ExitCode {
        if let host { return try body(host.ledger) }
        let ledger: Ledger
        do {
            ledger = try open(try directory(), .readWrite)
        } catch {
            guard error.exit == .noPermission else { throw error }
            ledger = try openForReading()
        }
        return try close(ledger, after: body)
    }

    private func close(
        _ ledger: Ledger, after body: (Ledger) throws(Failure) -> ExitCode
    ) throws(Failure) -> ExitCode {
        let exit: ExitCode
        do {
            exit = try body(ledger)
        } catch {
            // The first failure is the one to report.
            try? ledger.close()
            throw error
        }
        try lifted { () throws(LedgerError) in try ledger.close() }
        return exit
    }
}
