internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// The live status of each resource, as options or a command tell it.
enum SystemProbe {
    static let form =
        "STATUS[:EXTENT], unsupported, unqueryable or service-off[:SWITCH]; STATUS is one of "
        + PermissionStatus.allCases.map(\.description).joined(separator: ", ")

    private static let answerBytesMax = 4096

    /// Reads `authorized:whenInUse`, `service-off:Bluetooth` and the like.
    ///
    /// - Parameter text: the status in words.
    /// - Returns: nil for another form.
    static func parse(_ text: String) -> SystemStatus? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let rest = parts.count == 2 ? String(parts[1]) : nil
        switch parts.first {
        case "unsupported": return rest == nil ? .unsupported : nil
        case "unqueryable": return rest == nil ? .unqueryable : nil
        case "service-off": return .serviceOff(rest ?? "")
        case let word?:
            guard let status = PermissionStatus(String(word)) else { return nil }
            guard let rest else { return .reported(status) }
            return Extent(rest).map { .reported(status, $0) }
        case nil: return nil
        }
    }

    /// The statuses of `--system`, by resource; the key "" stands for every resource.
    ///
    /// - Parameter call: the call that has the option.
    /// - Returns: the statuses.
    /// - Throws: a usage failure for another form.
    static func options(_ call: Invocation) throws(Failure) -> [String: SystemStatus] {
        var statuses: [String: SystemStatus] = [:]
        for text in call.values("system") {
            let equals = text.lastIndex(of: "=")
            let resource = equals.map { String(text[..<$0]) } ?? ""
            let word = equals.map { String(text[text.index(after: $0)...]) } ?? text
            guard let status = parse(word) else {
                throw call.usage("--system must be [RESOURCE=]\(form)")
            }
            guard statuses.updateValue(status, forKey: resource) == nil else {
                throw call.usage("--system names a resource twice")
            }
        }
        return statuses
    }

    /// Runs a command with the resource in its environment; what it prints is the status.
    ///
    /// - Parameters:
    ///   - command: a line for the shell.
    ///   - resource: what is asked about.
    /// - Returns: the status.
    /// - Throws: `io` where it fails, `invalid` where it prints something else.
    static func run(_ command: String, resource: String) throws(LedgerError) -> SystemStatus {
        setenv("RESOURCE", resource, 1)
        defer { unsetenv("RESOURCE") }
        guard let pipe = popen(command, "r") else {
            throw LedgerError(.io, "The probe could not be started.")
        }
        let answer = [UInt8](unsafeUninitializedCapacity: answerBytesMax) { buffer, count in
            count = fread(buffer.baseAddress, 1, answerBytesMax, pipe)
        }
        let result = pclose(pipe)
        guard result == 0 else {
            throw LedgerError(
                .io, "The probe failed; let it print the status and end with 0.",
                cause: "wait status \(result)")
        }
        let text = String(decoding: answer, as: UTF8.self).split { $0.isWhitespace }
        guard text.count == 1, let status = parse(String(text[0])) else {
            throw LedgerError(.invalid, "The probe printed no status; let it print \(form).")
        }
        return status
    }
}
