/// Intervals that are made one after the other when their turn comes, on whichever thread is free.
package struct IntervalSource: Sendable {
    /// How many there are.
    package let count: Int
    /// How many events they have in all, or nearly.
    package let events: Int
    /// Makes the interval of a place, or says why it cannot be had; called for ascending places,
    /// by one thread at a time, while the ledger that takes them is locked.
    package let make: @Sendable (Int) -> Result<Interval, LedgerError>

    package init(
        count: Int, events: Int, make: @escaping @Sendable (Int) -> Result<Interval, LedgerError>
    ) {
        self.count = count
        self.events = events
        self.make = make
    }

    /// Intervals that are at hand.
    package init(_ intervals: [Interval]) {
        self.init(count: intervals.count, events: intervals.reduce(0) { $0 + $1.events.count }) {
            .success(intervals[$0])
        }
    }
}
