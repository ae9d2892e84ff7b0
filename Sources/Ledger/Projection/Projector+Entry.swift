extension Projector {
    /// A key's state as of `through`.
    final class Entry {
        var state: KeyState {
            didSet { base = nil }
        }
        /// What was replaced lately; forgotten when the state is read again.
        var history = KeyHistory()
        var isDirty = false
        /// The state depends on events that it no longer lists: they are folded when it is next
        /// wanted, once for however many came.
        var needsFold = false
        /// The status as far as it depends on the state alone; computed at the first reading.
        var base: Status?
        /// The state of the device's other install on which the person acted last, and the count
        /// of changes at which that was known.
        var lastInstall: (changeCount: Int, state: KeyState?)?

        /// Whether `lastInstall` is known where it matters.
        func knowsLastInstall(at changeCount: Int) -> Bool {
            state.hasAct || lastInstall?.changeCount == changeCount
        }

        init(_ state: KeyState) { self.state = state }
    }
}
