/// Every command, in the order of help.
enum CommandTable {
    static let all: [any Command.Type] = [
        InitCommand.self, IDCommand.self, InviteCommand.self, JoinCommand.self,
        MembersListCommand.self, MembersAddCommand.self, MembersRemoveCommand.self,
        MembersRenameCommand.self,
        RecordCommand.self, EnterCommand.self, StatusCommand.self, HistoryCommand.self,
        VerifyCommand.self, ForksCommand.self, CatalogLintCommand.self, CatalogPublishCommand.self,
        CatalogShowCommand.self, ImportCommand.self, ExportCommand.self,
        SyncFolderCommand.self, SyncUnixCommand.self, SyncTCPCommand.self, SyncNowCommand.self,
        FolderStatusCommand.self, FolderCleanCommand.self, ServeUnixCommand.self,
        ServeTCPCommand.self, PeersCommand.self, RunCommand.self, HealthCommand.self,
        BackupCommand.self, RestoreCommand.self, EraseCommand.self, ClockCommand.self,
        CompletionCommand.self, VersionCommand.self, HelpCommand.self,
    ]

    /// Finds the command that the words begin with.
    ///
    /// - Returns: the command, and how many words its name takes.
    static func find(
        _ words: ArraySlice<String>
    ) throws(Failure) -> (command: any Command.Type, length: Int) {
        guard let first = words.first else {
            throw .usage("No command given. Try: ledgerd help")
        }
        if let command = all.first(where: { $0.name == first }) { return (command, 1) }
        let group = all.filter { $0.name.hasPrefix(first + " ") }
        guard !group.isEmpty else {
            throw .usage(
                Suggestion.sentence("There is no such command\(Suggestion.phrase(first, groups))")
                    + " Try: ledgerd help")
        }
        let names = group.map { String($0.name.dropFirst(first.count + 1)) }
        guard let second = words.dropFirst().first, !second.hasPrefix("-") else {
            throw .usage("\(first) needs one of: \(names.joined(separator: ", ")).")
        }
        guard let command = group.first(where: { $0.name == "\(first) \(second)" }) else {
            throw .usage(
                Suggestion.sentence("\(first) has no such part\(Suggestion.phrase(second, names))")
                    + " It needs one of: \(names.joined(separator: ", ")).")
        }
        return (command, 2)
    }

    /// The first words of all commands, each once, in order.
    static var groups: [String] {
        var words: [String] = []
        for command in all {
            let word = command.name.prefix { $0 != " " }
            if words.last.map({ $0 != word }) ?? true { words.append(String(word)) }
        }
        return words
    }
}
