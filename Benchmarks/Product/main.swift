import Ledger

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

let usage = """
    stream N                    the stream's digest, to compare with the baselines'
    batch DIR N BATCH           record N events into a new ledger
    tail DIR SKIP N             record N more and end without closing
    durable DIR SKIP N          one event a transaction
    concurrent DIR SKIP N T     the same from T threads
    ingest SOURCE DIR           merge a ledger into a new replica of it
    bulk SOURCE DIR             the same by a session over TLS
    delta SOURCE DIR N R SKIP   N new events in each of R rounds, over an open connection
    live SOURCE DIR N SKIP      N single events, over an open connection
    compare DIR LOGS CHANGED    bytes that say that many logs are equal, and which few are not
    folder SOURCE DIR FOLDER    publish a ledger into a folder and take it into a new replica
    folderscan DIR FOLDER N     scan a folder of N files that are known
    status DIR N                statuses of random keys
    enter DIR N                 decisions for random keys, the live status unchanged
    history DIR N               all events of random subjects
    verify DIR
    rebuild DIR
    memory DIR                  after opening and one answer
    """

nonisolated func run(_ words: [String]) throws {
    func number(_ index: Int) -> Int { words.count > index ? Int(words[index]) ?? 0 : 0 }
    let directory = words.count > 1 ? words[1] : ""
    switch (words.first, words.count) {
    case ("stream", 2): AppendBenchmarks.stream(number(1))
    case ("batch", 4): try AppendBenchmarks.batch(directory, number(2), max(1, number(3)))
    case ("tail", 4): try AppendBenchmarks.tail(directory, number(2), number(3))
    case ("durable", 4): try AppendBenchmarks.durable(directory, number(2), number(3))
    case ("concurrent", 5):
        try AppendBenchmarks.concurrent(
            directory, number(2), number(3), threads: max(1, number(4)))
    case ("ingest", 3): try MergeBenchmarks.ingest(directory, into: words[2])
    case ("bulk", 3): try SyncBenchmarks.bulk(directory, into: words[2])
    case ("delta", 6):
        try SyncBenchmarks.delta(
            directory, into: words[2], number(3), rounds: max(1, number(4)), skipping: number(5))
    case ("live", 5):
        try SyncBenchmarks.live(directory, into: words[2], max(1, number(3)), skipping: number(4))
    case ("compare", 4):
        try SyncBenchmarks.compare(directory, logs: number(2), changed: number(3))
    case ("folder", 4):
        try FolderBenchmarks.bulk(directory, into: words[2], by: words[3])
    case ("folderscan", 4):
        try FolderBenchmarks.scan(directory, words[2], files: number(3))
    case ("status", 3): try ReadBenchmarks.status(directory, number(2))
    case ("enter", 3): try GateBenchmarks.enter(directory, number(2))
    case ("history", 3): try ReadBenchmarks.history(directory, number(2))
    case ("verify", 2): try ReadBenchmarks.verify(directory)
    case ("rebuild", 2): try ReadBenchmarks.rebuild(directory)
    case ("memory", 2): try ReadBenchmarks.memory(directory)
    default:
        print(usage)
        exit(2)
    }
}

do {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch {
    print("failed: \(error)")
    exit(1)
}
