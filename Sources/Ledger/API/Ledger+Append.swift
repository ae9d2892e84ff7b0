extension Ledger {
    /// Records one event, durably.
    ///
    /// Costs one fsync, shared with the appends that other threads ask for meanwhile; none where
    /// nothing has to be written because the same was recorded before.
    ///
    /// - Parameter draft: what to record.
    /// - Returns: the event; with ``Receipt/isNew`` false when the same call was recorded before.
    /// - Throws: `invalid` for a draft against the rules, `conflict` for an idempotency key with
    ///   other content, `expectation`, `subjectErased`, `busy`, `noSpace`, `readOnly`, `io`.
    @discardableResult
    public func append(_ draft: Draft) throws(LedgerError) -> Receipt {
        guard let receipt = try enqueue([draft]).first else {
            throw LedgerError(.io, "An append ended without a receipt; retry.")
        }
        return receipt
    }

    /// Records many events in one transaction: all or none.
    ///
    /// Costs one fsync for all of them together.
    ///
    /// - Parameter drafts: what to record, in order.
    /// - Returns: one receipt per draft.
    /// - Throws: as ``append(_:)-(Draft)``; then nothing was recorded.
    @discardableResult
    public func append(_ drafts: [Draft]) throws(LedgerError) -> [Receipt] { try enqueue(drafts) }
}
