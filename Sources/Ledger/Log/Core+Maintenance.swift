extension Core {
    /// Computes projection and index anew; inside a write transaction.
    func rebuild() throws(LedgerError) {
        try store.clearProjection()
        try store.setMeta(.watermark, 0)
        try store.setMeta(.indexedThrough, 0)
        try projector.restart()
        guard rows.chains.maxRow > 0 else { return }
        try store.forEachEvent(1...rows.chains.maxRow) { (row, head, body) throws(LedgerError) in
            let event = try rows.event(row, head, body)
            try noteMember(event.header, event.content, row)
            try projector.apply(try rows.fact(event, row))
            if projector.needsFlush { try projector.flush() }
            return true
        }
        try projector.flush(all: true)
        // The list of events about members may have lacked some.
        try settleMembers(anew: true)
    }

    func clockReport() -> ClockReport {
        let wall = environment.wallClock()
        return ClockReport(
            wall: wall, logical: clock.last, floor: floor,
            isFloorAhead: floor > wall + HybridClock.aheadMillisecondsMax)
    }
}
