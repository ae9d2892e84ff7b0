import Ledger
import SyncEngine

/// Merging through a drop folder.
enum FolderBenchmarks {
    /// Publishes a ledger into an empty folder and takes it into a new replica.
    static func bulk(_ source: String, into directory: String, by folder: String) throws {
        try PosixFileSystem().makeDirectory(folder)
        let from = try Ledger(openAt: source)
        let into = try Ledger.join(try from.invitation(), at: directory)
        let start = Measure.now()
        let published = try DropFolder(folder, of: from).sync()
        let middle = Measure.now()
        let taken = try DropFolder(folder, of: into, publishing: .nothing).sync()
        try into.close()
        let end = Measure.now()
        try from.close()
        let status = try DropFolder(folder, of: Ledger(openAt: directory)).status()
        Measure.report([
            "events": Double(taken.eventsImported), "published": Double(published.eventsPublished),
            "seconds": end - start, "publishSeconds": middle - start, "takeSeconds": end - middle,
            "bytes": Double(status.published.reduce(0) { $0 + $1.bytes }),
            "files": Double(status.files),
            "peakKB": Double(Measure.residentKilobytes("VmHWM")),
        ])
    }

    /// Scans a folder of files that are all known: in the same process, and in the next one.
    static func scan(_ directory: String, _ folder: String, files: Int) throws {
        let ledgers = (directory + "/writer", directory + "/reader")
        try PosixFileSystem().makeDirectory(directory)
        try PosixFileSystem().makeDirectory(folder)
        let writer = try Ledger.create(at: ledgers.0).ledger
        let reader = try Ledger.join(try writer.invitation(), at: ledgers.1)
        try fill(folder, with: files, by: writer)
        var watcher = FolderWatcher(DropFolder(folder, of: reader))
        _ = watcher.tick(at: 0)
        let start = Measure.now()
        let step = watcher.tick(at: 60_000)
        let middle = Measure.now()
        _ = watcher.finish(at: 60_001)
        let beforeNext = Measure.now()
        let next = try DropFolder(folder, of: reader).sync()
        let end = Measure.now()
        Measure.report([
            "files": Double(step.report?.segmentsRead ?? 0), "seconds": middle - start,
            "nextProcessSeconds": end - beforeNext, "nextProcessFiles": Double(next.segmentsRead),
        ])
    }

    /// One segment for each of many events, in files that nobody flushes.
    private static func fill(_ folder: String, with count: Int, by ledger: Ledger) throws {
        let system = PosixFileSystem()
        let directory = "\(folder)/cl-\(ledger.id)/r-\(ledger.replica?.description ?? "")"
        try system.makeDirectory("\(folder)/cl-\(ledger.id)")
        try system.makeDirectory(directory)
        var next: UInt64 = 0
        for number in 0..<count {
            try ledger.append(
                .allowed(
                    "person-\(number)", resource: "camera", at: Place(device: "d", install: "1")))
            guard let tip = try ledger.tips().first else { return }
            var builder = SegmentBuilder(ledger: ledger.id, host: ledger)
            for interval in try ledger.intervals(of: tip, from: next, bytesMax: .max) {
                try builder.append(interval)
            }
            next = tip.size
            let file = try builder.sealed(
                key: ledger.newestFolderKey().key, generation: 0, salt: Crypto.random(32)
            ).file
            let descriptor = try system.create("\(directory)/s-\(number).cls")
            _ = try system.write(file[...], to: descriptor)
            try system.close(descriptor)
        }
    }
}
