import Synchronization
import Testing

@testable import Ledger
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite(.serialized) struct UnixSocketTests {
    let folder: TemporaryFolder
    let path: String
    let a: FakeLedger
    let b: FakeLedger

    init() throws {
        folder = try TemporaryFolder()
        path = "\(folder.path)/sync.sock"
        (a, b) = try SessionTests.pair(2500, 10)
    }

    @Test func `two processes of one user merge both ways`() throws {
        let listener = try UnixSocketListener(path, log: a)
        let serving = Worker { try listener.serveOne() }
        let report = try UnixSocketSync(path, log: b).sync()
        let served = try #require(try serving.join() ?? nil)
        #expect(report.isInSync && served.isInSync)
        #expect((report.eventsReceived, report.eventsSent) == (2501, 11))
        #expect((served.eventsReceived, served.eventsSent) == (11, 2501))
        #expect(try a.tips() == b.tips())
        let again = Worker { try listener.serveOne() }
        #expect(try UnixSocketSync(path, log: b).sync().rounds == 0)
        #expect(try again.join()??.isInSync == true)
    }

    @Test func `payloads of many megabytes pass while both sides send`() throws {
        for ledger in [a, b] { try ledger.append(80, payloadLength: 65_536) }
        let listener = try UnixSocketListener(path, log: a)
        let serving = Worker { try listener.serveOne() }
        #expect(try UnixSocketSync(path, log: b).sync().isInSync)
        #expect(try serving.join()??.isInSync == true)
    }

    @Test func `the socket is for its owner alone`() throws {
        let listener = try UnixSocketListener(path, log: a)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600 && status.st_mode & S_IFMT == S_IFSOCK)
        listener.close()
        #expect(lstat(path, &status) != 0)
    }

    @Test func `a socket that a dead process left is replaced`() throws {
        var dead: UnixSocketListener? = try UnixSocketListener(path, log: a)
        dead?.stop()
        dead = nil
        #expect(throws: SyncError(.notFound, "")) { try UnixSocketSync(path, log: b).sync() }
        let listener = try UnixSocketListener(path, log: a)
        let serving = Worker { try listener.serveOne() }
        #expect(try UnixSocketSync(path, log: b).sync().isInSync)
        #expect(try serving.join()??.isInSync == true)
    }

    @Test func `a socket of a living process is never taken`() throws {
        let listener = try UnixSocketListener(path, log: a)
        #expect(throws: SyncError(.inUse, "")) { try UnixSocketListener(path, log: b) }
        // The look at it is somebody who left before the greeting, and serving goes on.
        #expect(throws: SyncError(.closed, "")) { try listener.serveOne() }
        let serving = Worker { try listener.serveOne() }
        #expect(try UnixSocketSync(path, log: b).sync().isInSync)
        #expect(try serving.join()??.isInSync == true)
    }

    @Test func `of many that start at once on a left-behind socket one wins`() throws {
        do { _ = try UnixSocketListener(path, log: a) }
        let starters = (0..<8).map { _ in
            Worker { [path, a] () throws -> UnixSocketListener? in
                do throws(SyncError) { return try UnixSocketListener(path, log: a) } catch {
                    guard error.code == .inUse else { throw error }
                    return nil
                }
            }
        }
        let listeners = try starters.compactMap { try $0.join() ?? nil }
        #expect(listeners.count == 1)
    }

    @Test func `a file that is no socket is left as it is`() throws {
        try folder.write([1, 2, 3], to: path)
        #expect(throws: SyncError(.invalid, "")) { try UnixSocketListener(path, log: a) }
        #expect(try folder.read(path) == [1, 2, 3])
        #expect(throws: SyncError(.notFound, "")) {
            try UnixSocketListener("\(folder.path)/no/such.sock", log: a)
        }
        let long = String(repeating: "x", count: 200)
        #expect(throws: SyncError(.invalid, "")) { try UnixSocketSync(long, log: a).sync() }
    }

    @Test func `another ledger is refused on both sides`() throws {
        let other = try FakeLedger(ledger: 2, seed: 9)
        let listener = try UnixSocketListener(path, log: a)
        let serving = Worker { try listener.serveOne() }
        #expect(throws: SyncError(.foreignLedger, "")) {
            try UnixSocketSync(path, log: other).sync()
        }
        #expect(throws: SyncError(.foreignLedger, "")) { try serving.join() }
    }

    @Test func `waiting for a peer can be stopped and has an end`() throws {
        let listener = try UnixSocketListener(path, log: a)
        #expect(try listener.serveOne(waitingMilliseconds: 1) == nil)
        let serving = Worker { try listener.serveOne() }
        listener.stop()
        #expect(try serving.join() ?? nil == nil)
    }

    @Test func `a ledger that fails during the session ends it for both with the reason`() throws {
        b.state.withLock { $0.ingestFailures = [LedgerError(.noSpace, "Full.")] }
        let listener = try UnixSocketListener(path, log: a)
        let serving = Worker { try listener.serveOne() }
        let report = try UnixSocketSync(path, log: b).sync()
        #expect(report.failure?.code == .noSpace && !report.isInSync && report.eventsSent == 11)
        let served = try #require(try serving.join() ?? nil)
        #expect(!served.isInSync && served.eventsReceived == 11 && served.eventsSent == 0)
    }
}
