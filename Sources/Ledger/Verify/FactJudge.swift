/// Judges hashed rows and folds what they say, for a rebuild.
///
/// `@unchecked Sendable`: belongs to the thread that judges rows until that has ended, then to the
/// caller who waited for it.
final class FactJudge: @unchecked Sendable {
    private let fold: LedgerFold
    /// The first row that could not be read.
    private(set) var failure: LedgerError?

    init(_ fold: LedgerFold) { self.fold = fold }

    func take(_ batch: RowBatch) {
        guard failure == nil else { return }
        for row in batch.rows {
            guard row.place != nil,
                case .success(let header) = EventHeader.decode(batch.header(row))
            else {
                failure = LedgerError(
                    .damaged, "Row \(row.number) holds no event that can be read; run verify.")
                return
            }
            var fact = Fact(
                row.id, header, ScannedBody(header.kind, batch.body(row)), row: row.number)
            if row.isRepeated {
                fact.key = nil
                fact.role = .nothing
            }
            if row.isLimited { fact.limit() }
            fold.add(fact, to: fold.entry(of: fact))
        }
    }
}
