/// How the process ends; the numbers from 64 on are those of sysexits(3).
enum ExitCode: Int32, CaseIterable, Sendable {
    case done = 0
    case findings = 1
    case partial = 2
    case damaged = 3
    case conflict = 4
    case erased = 5
    case proceedReduced = 20
    case showPrimer = 21
    case askSystem = 22
    case offerSettings = 23
    case useAlternative = 24
    case unavailable = 25
    case usage = 64
    case data = 65
    case noInput = 66
    case software = 70
    case cannotCreate = 73
    case io = 74
    case busy = 75
    case noPermission = 77
    case configuration = 78

    /// What it tells, for `--help` and the manual.
    var meaning: String {
        switch self {
        case .done: "done; for enter: proceed in full"
        case .findings:
            "verify or catalog lint found something wrong, a signature does not fit, or forks "
                + "found one that is not healed"
        case .partial: "done in part: some lines, files or events were set aside and named"
        case .damaged: "the database is damaged; nothing was repaired or made anew"
        case .conflict: "the state is not the expected one, or a key was used for other content"
        case .erased: "the subject was erased; only a bare denial is taken"
        case .proceedReduced: "enter: proceed, reduced"
        case .showPrimer: "enter: show the primer"
        case .askSystem: "enter: let the system ask"
        case .offerSettings: "enter: offer the way to Settings"
        case .useAlternative: "enter: use the alternative"
        case .unavailable: "enter: unavailable"
        case .usage: "wrong command, option or argument"
        case .data: "input that breaks a rule or does not decode"
        case .noInput: "the ledger, event or file asked for is not there"
        case .software: "a fault in ledgerd itself"
        case .cannotCreate: "something is already where a new thing should go"
        case .io: "the operating system refused a read or write, or the disk is full"
        case .busy: "another process held the ledger for the whole wait; try again"
        case .noPermission: "the ledger was opened for reading, or cannot be written"
        case .configuration: "no usable state directory, or a newer schema; do not restart"
        }
    }
}
