internal import Ledger
internal import SyncEngine

/// What a daemon is told to do, from the command line and a file.
struct DaemonConfig: Sendable, Equatable {
    var directory: String?
    var listen: [SocketAddress] = []
    var peers: [PeerAddress] = []
    var folders: [String] = []
    var control: String?
    var metrics: LoopbackAddress?
    var catalog: String?
    var logFormat = DaemonLog.Format.text
    var logLevel = DaemonLog.Level.info

    /// Reads the options, and below them the file of `--config`.
    ///
    /// - Parameter call: the call of `ledgerd run`.
    /// - Throws: `usage` for an option, `configuration` for the file: no restart would help.
    init(_ call: Invocation) throws(Failure) {
        if let path = call.value("config") { try read(path, call.console) }
        if let directory = call.value("dir") { self.directory = directory }
        for setting in DaemonSetting.all {
            for text in call.values(setting.option.name) {
                guard setting.set(&self, text) else {
                    throw call.usage("--\(setting.option.name) must be \(setting.form)")
                }
            }
        }
    }

    /// Reads a configuration file alone.
    ///
    /// - Throws: `configuration` for one that cannot be read or is broken.
    init(file path: String, _ console: any Console) throws(Failure) { try read(path, console) }

    /// Whether nothing differs that is set up when the daemon starts.
    func hasSameServices(as other: DaemonConfig) -> Bool {
        (directory, control, metrics) == (other.directory, other.control, other.metrics)
            && (listen, folders) == (other.listen, other.folders)
            && (logFormat, logLevel) == (other.logFormat, other.logLevel)
    }

    private mutating func read(_ path: String, _ console: any Console) throws(Failure) {
        let value: JSONValue
        do {
            let bytes = try InputFile.read(path, bytesMax: JSONReader.bytesMax, console)
            value = try lifted { () throws(LedgerError) in
                try JSONReader.parse(bytes, file: path)
            }
        } catch {
            throw Self.broken(error.message)
        }
        guard let members = value.members else {
            throw Self.broken("\(path): an object expected, not \(value.kindName).")
        }
        for member in members {
            let place = "\(path):\(member.line):\(member.column)"
            guard let setting = DaemonSetting.all.first(where: { $0.key == member.key }) else {
                let known = DaemonSetting.all.map(\.key)
                throw Self.broken(
                    Suggestion.sentence(
                        "\(place): unknown key\(JSONReader.shown(member.key))"
                            + Suggestion.phrase(member.key, known)))
            }
            let values = setting.option.isRepeatable ? member.value.elements : [member.value]
            for value in values ?? [.null] {
                guard let text = value.text, setting.set(&self, text) else {
                    let list = setting.option.isRepeatable ? "a list, each " : ""
                    throw Self.broken("\(place): “\(setting.key)” must be \(list)\(setting.form).")
                }
            }
        }
    }

    private static func broken(_ message: String) -> Failure {
        Failure(.configuration, code: "configuration", message)
    }
}

/// One setting, as an option and as a key of the configuration file.
struct DaemonSetting: Sendable {
    let key: String
    let option: OptionSpec
    /// What the value looks like, after “must be”.
    let form: String
    /// Takes one value; false when it has another form.
    let set: @Sendable (inout DaemonConfig, String) -> Bool

    static var all: [DaemonSetting] { places + merging + logging }

    private static var places: [DaemonSetting] {
        [
            DaemonSetting(
                key: "directory", option: .directory, form: "a directory"
            ) { config, text in
                config.directory = text
                return !text.isEmpty
            },
            DaemonSetting(
                key: "control",
                option: .value(
                    "control", "PATH", kind: .file,
                    "The control socket; control.sock in the state directory unless given."),
                form: "a path"
            ) { config, text in
                config.control = text
                return !text.isEmpty
            },
            DaemonSetting(
                key: "metrics",
                option: .value(
                    "metrics", "ADDRESS",
                    "Serve metrics for Prometheus there, such as 127.0.0.1:9464; loopback alone."),
                form: "a loopback address with a port, such as 127.0.0.1:9464 or [::1]:9464"
            ) { config, text in
                config.metrics = LoopbackAddress(text)
                return config.metrics != nil
            },
            DaemonSetting(
                key: "catalog",
                option: .value(
                    "catalog", "FILE", kind: .file,
                    "The catalog that enter and append go by; read again on SIGHUP."),
                form: "a file"
            ) { config, text in
                config.catalog = text
                return !text.isEmpty
            },
        ]
    }

    private static var merging: [DaemonSetting] {
        [
            DaemonSetting(
                key: "listen",
                option: .value(
                    "listen", "ADDRESS", repeatable: true,
                    "Where members may connect: tcp://HOST:PORT or unix:///PATH."),
                form: "tcp://HOST:PORT or unix:///PATH"
            ) { config, text in
                guard let address = try? SocketAddress(text) else { return false }
                config.listen.append(address)
                return true
            },
            DaemonSetting(
                key: "peers",
                option: .value(
                    "peer", "ID@HOST:PORT", repeatable: true,
                    "A replica to merge with, and where it listens."),
                form: "ID@HOST:PORT with the whole id of a replica"
            ) { config, text in
                guard let peer = try? PeerAddress(text) else { return false }
                config.peers.append(peer)
                return true
            },
            DaemonSetting(
                key: "folders",
                option: .value(
                    "folder", "PATH", kind: .directory, repeatable: true,
                    "A drop folder to merge through, watched all the time."),
                form: "a directory"
            ) { config, text in
                config.folders.append(text)
                return !text.isEmpty
            },
        ]
    }

    private static var logging: [DaemonSetting] {
        let formats = DaemonLog.Format.allCases.map(\.description)
        let levels = DaemonLog.Level.allCases.map(\.description)
        return [
            DaemonSetting(
                key: "logFormat",
                option: .word("log-format", "WORD", formats, "How the log is written"),
                form: "one of \(formats.joined(separator: ", "))"
            ) { config, text in
                guard let format = DaemonLog.Format(rawValue: text) else { return false }
                config.logFormat = format
                return true
            },
            DaemonSetting(
                key: "logLevel",
                option: .word("log-level", "WORD", levels, "What is logged at least"),
                form: "one of \(levels.joined(separator: ", "))"
            ) { config, text in
                let level = DaemonLog.Level.allCases.first { $0.description == text }
                guard let level else { return false }
                config.logLevel = level
                return true
            },
        ]
    }
}

/// An address of this machine alone, and a port.
struct LoopbackAddress: Sendable, Equatable, CustomStringConvertible {
    enum Family: Sendable, Equatable { case four, six }

    let family: Family
    let port: UInt16

    /// Reads `127.0.0.1:9464`, `localhost:9464` or `[::1]:9464`; nil for any other place.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        switch text[..<colon] {
        case "127.0.0.1", "localhost": family = .four
        case "[::1]": family = .six
        default: return nil
        }
        self.port = port
    }

    var description: String { family == .four ? "127.0.0.1:\(port)" : "[::1]:\(port)" }
}
