/// How far long work has come, for whoever watches standard error.
struct Progress {
    private static let intervalMilliseconds: Int64 = 100

    private let call: Invocation
    private let unit: String
    private var shownAt: Int64 = 0

    init(_ call: Invocation, unit: String) {
        self.call = call
        self.unit = unit
    }

    /// - Parameters:
    ///   - done: how much is done.
    ///   - total: how much there is, where that is known.
    mutating func update(_ done: Int64, of total: Int64? = nil) {
        guard call.printer.showsProgress else { return }
        let now = call.now
        guard now - shownAt >= Self.intervalMilliseconds || done == total else { return }
        shownAt = now
        if let total, total > 0 {
            let percent = Int64(Double(done) / Double(total) * 100)
            call.printer.progress("\(done) of \(total) \(unit) (\(percent) %)")
        } else {
            call.printer.progress("\(done) \(unit)")
        }
    }
}
