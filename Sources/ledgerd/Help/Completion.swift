/// Completion scripts, written from the command table.
enum Completion {
    /// The shells that scripts can be written for.
    enum Shell: String, CaseIterable, CustomStringConvertible {
        case bash, zsh, fish
        var description: String { rawValue }
    }

    static func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private static var specs: [CommandSpec] { CommandTable.all.map { $0.spec } }

    /// The second words of a group; empty for a command of its own.
    private static func parts(of group: String) -> [String] {
        CommandTable.all.map { $0.name }.filter { $0.hasPrefix(group + " ") }
            .map { String($0.dropFirst(group.count + 1)) }
    }

    private static func names(_ spec: CommandSpec) -> String {
        spec.allOptions.map { "--\($0.name)" }.joined(separator: " ")
    }

    // MARK: bash

    private static var bash: String {
        var cases = ""
        for spec in specs {
            cases += "        \"\(spec.name)\")\n            case \"$previous\" in\n"
            for option in spec.allOptions where option.valueName != nil {
                cases += "                --\(option.name)) \(bashReply(option.kind)); return ;;\n"
            }
            let words = spec.arguments.flatMap { $0.kind.words }
            let files = spec.arguments.contains { $0.kind == .file || $0.kind == .directory }
            cases += "            esac\n            options=\"\(names(spec))\"; "
            cases += "words=\"\(words.joined(separator: " "))\"; files=\(files ? 1 : 0) ;;\n"
        }
        let groups = CommandTable.groups.filter { !parts(of: $0).isEmpty }
        let groupCases = groups.map { group in
            "        \(group)) COMPREPLY=($(compgen -W \"\(parts(of: group).joined(separator: " "))\""
                + " -- \"$current\")); return ;;\n"
        }.joined()
        return """
            # bash completion of ledgerd; load it with: source <(ledgerd completion bash)
            _ledgerd() {
                local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
                local command="${COMP_WORDS[1]}" options="" words="" files=0
                COMPREPLY=()
                if [ "$COMP_CWORD" -eq 1 ]; then
                    COMPREPLY=($(compgen -W "\(CommandTable.groups.joined(separator: " "))" -- "$current"))
                    return
                fi
                if [ "$COMP_CWORD" -eq 2 ]; then
                    case "$command" in
            \(groupCases)        esac
                fi
                case "$command" in
                    \(groups.joined(separator: "|"))) command="$command ${COMP_WORDS[2]}" ;;
                esac
                case "$command" in
            \(cases)    esac
                case "$current" in
                    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
                    *)
                        COMPREPLY=($(compgen -W "$words" -- "$current"))
                        if [ "$files" -eq 1 ]; then
                            COMPREPLY+=($(compgen -f -- "$current"))
                        fi ;;
                esac
            }
            complete -o filenames -F _ledgerd ledgerd

            """
    }

    private static func bashReply(_ kind: ValueKind) -> String {
        switch kind {
        case .text: "COMPREPLY=()"
        case .file: "COMPREPLY=($(compgen -f -- \"$current\"))"
        case .directory: "COMPREPLY=($(compgen -d -- \"$current\"))"
        case .words(let words):
            "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"))"
        }
    }

    // MARK: zsh

    private static var zsh: String {
        var cases = ""
        for spec in specs {
            cases += "        '\(spec.name)')\n            _arguments -s"
            for option in spec.allOptions {
                let help = zshText(option.help)
                let value = option.valueName.map { ":\($0):\(zshAction(option.kind))" } ?? ""
                let many = option.isRepeatable ? "*" : ""
                cases += " \\\n                '\(many)--\(option.name)[\(help)]\(value)'"
            }
            for argument in spec.arguments {
                cases += " \\\n                ':\(argument.name):\(zshAction(argument.kind))'"
            }
            cases += " ;;\n"
        }
        let groups = CommandTable.groups.filter { !parts(of: $0).isEmpty }
        let groupCases = groups.map { group in
            """
                    \(group))
                        if (( CURRENT == 3 )); then compadd -- \(parts(of: group).joined(separator: " ")); return; fi
                        command="$command $words[3]"; skip=2 ;;

            """
        }.joined()
        return """
            #compdef ledgerd
            # zsh completion of ledgerd; put it as _ledgerd into a directory of $fpath.
            _ledgerd() {
                local command="$words[2]" skip=1
                if (( CURRENT == 2 )); then compadd -- \(CommandTable.groups.joined(separator: " ")); return; fi
                case "$command" in
            \(groupCases)    esac
                shift $skip words; (( CURRENT -= skip ))
                case "$command" in
            \(cases)    esac
            }
            if [ "$funcstack[1]" = "_ledgerd" ]; then _ledgerd; else compdef _ledgerd ledgerd; fi

            """
    }

    /// Text between brackets inside single quotes.
    private static func zshText(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "'": result += "’"
            case "[", "]", ":", "\\": result += "\\\(character)"
            default: result.append(character)
            }
        }
        return result
    }

    private static func zshAction(_ kind: ValueKind) -> String {
        switch kind {
        case .text: " "
        case .file: "_files"
        case .directory: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    // MARK: fish

    private static var fish: String {
        var text = """
            # fish completion of ledgerd; load it with: ledgerd completion fish | source
            complete -c ledgerd -f

            """
        let groups = CommandTable.groups
        text +=
            "complete -c ledgerd -n __fish_use_subcommand -a '\(groups.joined(separator: " "))'\n"
        for group in groups where !parts(of: group).isEmpty {
            let words = parts(of: group).joined(separator: " ")
            text +=
                "complete -c ledgerd -n '__fish_seen_subcommand_from \(group); "
                + "and not __fish_seen_subcommand_from \(words)' -a '\(words)'\n"
        }
        for spec in specs {
            let condition = spec.name.split(separator: " ")
                .map { "__fish_seen_subcommand_from \($0)" }.joined(separator: "; and ")
            for option in spec.allOptions {
                text += "complete -c ledgerd -n '\(condition)' -l \(option.name)"
                text += fishValue(option.valueName == nil ? nil : option.kind)
                text += " -d '\(option.help.split(separator: "'").joined(separator: "’"))'\n"
            }
            for argument in spec.arguments {
                guard argument.kind != .text else { continue }
                text += "complete -c ledgerd -n '\(condition)'\(fishArgument(argument.kind))\n"
            }
        }
        return text
    }

    private static func fishValue(_ kind: ValueKind?) -> String {
        switch kind {
        case nil: ""
        case .text: " -x"
        case .file: " -r -F"
        case .directory: " -x -a '(__fish_complete_directories)'"
        case .words(let words): " -x -a '\(words.joined(separator: " "))'"
        }
    }

    private static func fishArgument(_ kind: ValueKind) -> String {
        switch kind {
        case .text: ""
        case .file: " -F"
        case .directory: " -a '(__fish_complete_directories)'"
        case .words(let words): " -a '\(words.joined(separator: " "))'"
        }
    }
}
