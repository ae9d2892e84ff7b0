internal import Ledger

/// Drafts of many lines, recorded a thousand to a transaction.
struct RecordBatch {
    private static let draftsMax = 1000

    private let ledger: Ledger
    private let call: Invocation
    private let name: String
    private var drafts: [Draft] = []
    private var lines: [Int] = []
    private var progress: Progress
    private var newCount: Int64 = 0
    private var oldCount: Int64 = 0

    init(_ ledger: Ledger, _ call: Invocation, name: String) {
        self.ledger = ledger
        self.call = call
        self.name = name
        progress = Progress(call, unit: "events")
    }

    mutating func add(_ draft: Draft, line: Int) throws(Failure) {
        drafts.append(draft)
        lines.append(line)
        if drafts.count == Self.draftsMax { try finish() }
    }

    /// Records what is gathered.
    mutating func finish() throws(Failure) {
        guard !drafts.isEmpty else { return }
        do {
            let receipts = try ledger.append(drafts)
            for (receipt, line) in zip(receipts, lines) { note(receipt, line) }
        } catch {
            try recordSingly(after: error)
        }
        drafts.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        progress.update(newCount + oldCount)
    }

    /// A refused transaction does not say which draft was at fault, so they are tried one by one:
    /// the lines before it are recorded, and the error names its line.
    private mutating func recordSingly(after error: LedgerError) throws(Failure) {
        let isAboutOneDraft = [
            LedgerError.Code.invalid, .conflict, .expectation, .subjectErased, .limit, .notFound,
        ].contains(error.code)
        guard isAboutOneDraft else {
            throw Failure(error, at: "\(name):\(lines[0]) and what follows it is not recorded")
        }
        for (draft, line) in zip(drafts, lines) {
            do {
                note(try ledger.append(draft), line)
            } catch {
                report()
                throw Failure(error, at: "\(name):\(line)")
            }
        }
    }

    private mutating func note(_ receipt: Receipt, _ line: Int) {
        if receipt.isNew { newCount += 1 } else { oldCount += 1 }
        guard call.isJSON else { return }
        call.printJSON { writer in
            writer.field("id", receipt.event.id.description)
            writer.field("new", receipt.isNew)
            writer.field("line", line)
        }
    }

    /// Says how many were recorded.
    func report() {
        guard !call.isJSON else { return }
        call.printer.line("recorded \(newCount), already recorded \(oldCount)")
    }
}
