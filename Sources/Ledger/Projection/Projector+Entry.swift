extension Projector {
    /// A key's state as of `through`.
    final class Entry {
        /// The status as far as it depends on the state alone; an object of its own, since most
        /// states are written far more often than they are read.
        final class Base {
            let status: Status
            /// Nothing in it ends, so no time but a wall clock set back changes it.
            let isTimeless: Bool
            /// The newest time among the events in force, in Unix milliseconds.
            let newest: Int64

            init(_ state: KeyState) {
                var status = StatusReader.base(state, blockers: [])
                isTimeless = state.inForce.allSatisfy { entry in
                    entry.decision.end == nil && entry.earlierActs.allSatisfy { $0.end == nil }
                }
                newest = state.inForce.lazy.map(\.timestamp.milliseconds).max() ?? 0
                if isTimeless {
                    StatusReader.setConsent(&status, state, isHere: status.lastAct != nil, 0)
                }
                self.status = status
            }
        }

        /// Computed at the first reading.
        private(set) var base: Base?
        var isDirty = false
        /// The state depends on events that it no longer lists: they are folded when it is next
        /// wanted, once for however many came.
        var needsFold = false
        /// The count of changes at which `lastInstall` was known.
        private var lastInstallCount = -1
        /// The device's other install on which the person acted last.
        private(set) var lastInstall: Entry?
        var state: KeyState {
            didSet {
                base = nil
                // It may come to stand for the other: neither keeps the other in memory then.
                lastInstall = nil
                lastInstallCount = -1
            }
        }

        /// The subject's next entry in the cache.
        ///
        /// Unowned: the cache owns every entry that it links, and lets go of all of them at once.
        /// A chain of owners would be freed link by link, on the stack.
        unowned(unsafe) var next: Entry?
        /// The key, for an entry that is in the cache.
        var key: StateKey?

        init(_ state: KeyState) { self.state = state }

        /// Whether `lastInstall` is known where it matters.
        func knowsLastInstall(at changeCount: Int) -> Bool {
            lastInstallCount == changeCount || state.hasAct
        }

        func setLastInstall(_ entry: Entry?, at changeCount: Int) {
            lastInstall = entry
            lastInstallCount = changeCount
        }

        /// Writes the state down, without a copy of it and its arrays.
        func append(_ key: StateKey, to changes: inout StateBundle.Changes) {
            changes.append(key, state)
        }

        /// The status without unreadable events of the subject.
        func readBase() -> Base {
            if let base { return base }
            let made = Base(state)
            base = made
            return made
        }
    }
}
