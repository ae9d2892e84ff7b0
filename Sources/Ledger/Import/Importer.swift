/// Imports a file into a ledger: our own exports as the same events, everything else as
/// observations, and uses as nothing but a comparison.
///
/// What cannot be understood or proven is set aside by its line and the rest is taken; a strict
/// import takes nothing then. Importing the same file again adds nothing.
package struct Importer: Sendable {
    private let path: String
    private let options: ImportOptions
    /// What messages call the file.
    package var name: String { path == "-" ? "standard input" : path }

    /// Names a file to import.
    ///
    /// - Parameters:
    ///   - path: the file; `-` is standard input.
    ///   - options: what the file cannot say about itself.
    package init(_ path: String, _ options: ImportOptions) {
        self.path = path
        self.options = options
    }

    /// Tells the format from the file's first bytes.
    package func detectFormat() throws(LedgerError) -> ImportFormat {
        let start = try ByteSource(path: path).peeking(ImportFormat.startBytes).start
        return try ImportFormat.detect(start, file: name)
    }

    /// Reads the file and records what it says.
    ///
    /// - Parameters:
    ///   - ledger: where to.
    ///   - progress: told how many records of an export were read.
    /// - Returns: what was found and done.
    /// - Throws: `malformed` for a file that is of no known format and, in a strict import, for
    ///   the first record that cannot be taken; `invalid` for options against the rules; what
    ///   the ledger throws.
    package func run(
        into ledger: Ledger, progress: (Int) -> Void = { _ in }
    ) throws(LedgerError) -> ImportReport {
        try options.validate()
        guard options.isStrict else { return try run(into: ledger, options, progress) }
        guard path != "-" else {
            throw LedgerError(
                .invalid,
                "A strict import reads its file twice; save standard input as a file first.")
        }
        var rehearsal = options
        rehearsal.isDryRun = true
        let report = try run(into: ledger, rehearsal, progress)
        try refuse(report, "nothing was imported")
        if options.isDryRun { return report }
        let result = try run(into: ledger, options, progress)
        try refuse(result, "what stands before it was imported")
        return result
    }

    private func refuse(_ report: ImportReport, _ consequence: String) throws(LedgerError) {
        guard let first = report.setAside.kept.first else { return }
        throw LedgerError(
            .malformed,
            "\(name):\(first.line): \(LedgerError(.malformed, first.reason).clause). \(report.setAside.count) such; \(consequence)."
        )
    }

    private func run(
        into ledger: Ledger, _ options: ImportOptions, _ progress: (Int) -> Void
    ) throws(LedgerError) -> ImportReport {
        let (start, source) = try ByteSource(path: path).peeking(ImportFormat.startBytes)
        let format = try ImportFormat.detect(start, file: name)
        var report = ImportReport(format: format, isDryRun: options.isDryRun)
        let batch: ImportBatch
        switch format {
        case .exportJSON, .exportCSV:
            let records = try ExportReader(source, format)
            var importer = try ExportImport(ledger, options)
            try importer.run(records, &report, progress)
            return report
        case .tccDatabase:
            guard path != "-" else {
                throw LedgerError(
                    .invalid, "A TCC.db cannot be read from standard input; give its path.")
            }
            batch = try TCCStore.parse(database: path, options)
        case .tccCSV: batch = try TCCStore.parse(csv: source, options)
        case .flatpak: batch = try FlatpakPermissions.parse(source, options)
        case .appPrivacyReport: batch = try AppPrivacyReport.parse(source, options)
        }
        try record(batch, into: ledger, options, &report)
        return report
    }

    private func record(
        _ batch: ImportBatch, into ledger: Ledger, _ options: ImportOptions,
        _ report: inout ImportReport
    ) throws(LedgerError) {
        report.recordCount = batch.recordCount
        report.setAside = batch.setAside
        report.skipped = batch.skipped
        report.doubtful = batch.doubtful
        var writer = ObservationWriter(ledger, options)
        for state in batch.states { try writer.take(state, &report) }
        try writer.flush(&report)
        report.accessCount = batch.accessCount
        report.uses = batch.uses
        let comparison = UseComparison(ledger: ledger, options: options)
        report.usedWhileDenied = try comparison.usedWhileDenied(batch.uses)
    }
}
