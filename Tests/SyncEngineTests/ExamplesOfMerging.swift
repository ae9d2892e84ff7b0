import Ledger
import SyncEngine
import TestSupport
import Testing

/// Merging through a folder or a socket; the lines also stand in the documentation of the types.
@Suite struct ExamplesOfMerging {
    private let shared: TemporaryFolder
    private let tablet: TestLedger
    private let ledger: Ledger
    private let first: TestLedger
    private var folder: String { shared.path }
    private var socket: String { shared.path + "/consent.sock" }

    init() throws {
        shared = try TemporaryFolder()
        first = try TestLedger()
        ledger = first.ledger
        tablet = try first.joined()
        try ledger.append(.allowed("me", resource: "camera", at: phone))
    }

    /// What a line of status says about a pass over a folder.
    private func lines(_ report: FolderReport) -> [String] {
        var lines = ["\(report.eventsImported) in, \(report.eventsPublished) out"]
        for item in report.setAside { lines.append("\(item)") }
        if let failure = report.publishFailure { lines.append("read only: \(failure.message)") }
        return lines
    }

    @Test func `a folder carries what one replica has to the other`() throws {
        let report = try DropFolder(folder, of: ledger).sync()
        #expect(lines(report) == ["0 in, 3 out"])
        let taken = try DropFolder(folder, of: tablet.ledger).sync()
        let transfers: [SyncReport.Transfer] = taken.transfers
        #expect(transfers.map(\.eventsReceived) == [3] && transfers.first?.log == ledger.log)
        let status = try tablet.ledger.status(StatusQuery("me", resource: "camera", at: phone))
        #expect(status.grants() && report.isComplete && taken.isComplete)
    }

    @Test func `a replica may read a folder without writing into it`() throws {
        let publishing: DropFolder.Publishing = .nothing
        let reader = DropFolder(folder, of: ledger, publishing: publishing)
        let report = try reader.sync()
        #expect(report.eventsPublished == 0)
        #expect(try shared.files().isEmpty)
    }

    @Test func `files of other programs are set aside and named`() throws {
        try shared.write(Array("shopping list, nothing else in here".utf8), to: folder + "/a.txt")
        let report = try DropFolder(folder, of: ledger).sync()
        let strangers: [SetAside] = report.setAside.filter { $0.reason.code == .notASegment }
        let names = strangers.compactMap(\.file)
        #expect(names == ["a.txt"] && report.isComplete)
    }

    /// Merges if the folder is there now.
    private func syncIfThere(_ folder: String) throws(SyncError) -> FolderReport? {
        do throws(SyncError) {
            return try DropFolder(folder, of: ledger).sync()
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    @Test func `an error's code tells whether to try again later`() throws {
        #expect(try syncIfThere(folder) != nil)
        #expect(try syncIfThere(folder + "/stick") == nil)
        let passing: Set<SyncError.Code> = [.notFound, .closed, .timedOut]
        let error = SyncError(.foreignLedger, "The peer holds another ledger; check the path.")
        #expect(!passing.contains(error.code))
        #expect(error.description.hasPrefix("foreignLedger: "))
    }

    /// Serves peers, one after the other, until the listener is stopped.
    private static func serve(_ listener: UnixSocketListener) throws -> [SyncReport] {
        var reports: [SyncReport] = []
        while let report = try listener.serveOne() { reports.append(report) }
        listener.close()
        return reports
    }

    /// Merges with whoever serves the socket.
    private func merge(_ ledger: Ledger) throws -> SyncReport {
        let report: SyncReport = try UnixSocketSync(socket, of: ledger).sync()
        let isDone = report.isInSync && report.setAside.isEmpty
        #expect(isDone)
        return report
    }

    @Test func `two processes of one user merge through a socket`() throws {
        let listener = try UnixSocketListener(socket, of: ledger)
        let serving = Worker { try Self.serve(listener) }
        let report = try merge(tablet.ledger)
        listener.stop()
        let served = try #require(try serving.join())
        #expect(report.eventsReceived == 3 && report.eventsSent == 1 && report.failure == nil)
        #expect(served.map(\.isInSync) == [true] && served.first?.peer == tablet.ledger.replica)
    }
}
