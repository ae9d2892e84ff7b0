import Synchronization

import TestSupport
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A medium in memory at `/drop` that keeps or breaks the promises of real ones.
final class SimulatedMedium: FolderFileSystem, Sendable {
    /// What kind of medium it is, and what is wrong with it.
    struct Rules: Sendable {
        /// Names that differ in case alone are the same.
        var ignoresCase = false
        /// Whether directories can be flushed; FAT answers EINVAL.
        var flushesDirectories = true
        var nameLengthMax = 255
        var capacity = Int.max
        var isReadOnly = false
        /// Where nothing is mounted, an empty directory shows.
        var isMounted = true
        /// Whether even the directory is gone.
        var isGone = false
        /// The call, counted from 1, that fails once.
        var failAt: Int?
        var failCode: Int32 = EIO
        /// The failing call does its work all the same, as on a network.
        var failsAfterwards = false
        /// From this call on the power is cut.
        var cutAt: Int?

        static let posix = Rules()
        /// Case-insensitive, no flush of directories, names that old programs can take.
        static var vfat: Rules {
            var rules = Rules()
            (rules.ignoresCase, rules.flushesDirectories, rules.nameLengthMax) = (true, false, 128)
            return rules
        }
    }

    private struct Node: Sendable {
        var bytes: [UInt8] = []
        /// What a power cut leaves of it for sure.
        var flushed: [UInt8] = []
        var isDirectory = false
    }

    private struct State: Sendable {
        var rules: Rules
        var nodes: [Int: Node] = [:]
        /// What is there under which name, and which of that survives a power cut.
        var names: [String: Int] = [:]
        var flushedNames: [String: Int] = [:]
        var open: [Int32: Int] = [:]
        var next = 100
        var calls = 0
        var counts: [String: Int] = [:]
        var trace: [String] = []
    }

    private let state: Mutex<State>
    static let root = "/drop"

    init(_ rules: Rules = .posix) {
        var state = State(rules: rules)
        state.nodes[1] = Node(isDirectory: true)
        state.names[Self.root] = 1
        state.flushedNames[Self.root] = 1
        self.state = Mutex(state)
    }

    var path: String { Self.root }

    func change(_ body: @Sendable (inout Rules) -> Void) { state.withLock { body(&$0.rules) } }

    /// How often a call was made since it was asked last.
    func takeCount(_ call: String) -> Int {
        state.withLock { $0.counts.removeValue(forKey: call) ?? 0 }
    }

    /// All calls so far.
    var calls: Int {
        get { state.withLock { $0.calls } }
        set { state.withLock { $0.calls = newValue } }
    }

    /// What was changed since it was asked last: `create NAME`, `rename NAME` and so on.
    func takeTrace() -> [String] {
        state.withLock { state in
            defer { state.trace = [] }
            return state.trace
        }
    }

    // MARK: What tests do to it

    var files: [String] {
        state.withLock { state in
            state.names.filter { !(state.nodes[$0.value]?.isDirectory ?? true) }.keys.sorted()
        }
    }

    subscript(file: String) -> [UInt8]? {
        get { state.withLock { state in state.names[file].flatMap { state.nodes[$0]?.bytes } } }
        set {
            state.withLock { state in
                guard let newValue else {
                    state.names[file] = nil
                    state.flushedNames[file] = nil
                    return
                }
                let number = state.next
                state.next += 1
                state.nodes[number] = Node(bytes: newValue, flushed: newValue)
                state.names[file] = number
                state.flushedNames[file] = number
            }
        }
    }

    /// Changes bytes of a file where it is: same name, same number.
    func fill(_ file: String, _ bytes: [UInt8]) {
        state.withLock { state in
            guard let number = state.names[file] else { return }
            state.nodes[number]?.bytes = bytes
            state.nodes[number]?.flushed = bytes
        }
    }

    func addDirectory(_ path: String) {
        state.withLock { state in
            let number = state.next
            state.next += 1
            state.nodes[number] = Node(isDirectory: true)
            state.names[path] = number
            state.flushedNames[path] = number
        }
    }

    /// The power comes back: of what was not flushed, anything may be there or not.
    func restart(_ random: inout SplitMix) {
        state.withLock { state in
            (state.rules.cutAt, state.rules.failAt, state.open) = (nil, nil, [:])
            for (number, node) in state.nodes.sorted(by: { $0.key < $1.key })
            where node.bytes != node.flushed {
                switch random.next() % 3 {
                case 0: state.nodes[number]?.bytes = node.flushed
                case 1:
                    let kept = Int(random.next() % UInt64(node.bytes.count + 1))
                    state.nodes[number]?.bytes = Array(node.bytes.prefix(kept))
                default:
                    state.nodes[number]?.bytes = [UInt8](repeating: 0, count: node.bytes.count)
                }
                let left = state.nodes[number]?.bytes ?? []
                state.nodes[number]?.flushed = left
            }
            let (shown, kept) = (state.names, state.flushedNames)
            for name in Set(shown.keys).union(kept.keys).sorted() where shown[name] != kept[name] {
                state.names[name] = random.next() & 1 == 0 ? shown[name] : kept[name]
            }
            // A file whose directory was lost is lost with it.
            let all = state.names
            state.names = all.filter { entry in
                entry.key == Self.root || Self.parents(of: entry.key).allSatisfy { all[$0] != nil }
            }
            state.flushedNames = state.names
        }
    }

    private static func parents(of path: String) -> [String] {
        var parents: [String] = []
        var rest = path.parent
        while rest.utf8.count >= root.utf8.count {
            parents.append(rest)
            rest = rest.parent
        }
        return parents
    }

    // MARK: Calls

    private func meet<T>(
        _ call: String, _ path: String = "", writes: Bool = false,
        _ body: (inout State) throws(FileFailure) -> T
    ) throws(FileFailure) -> T {
        try state.withLock { (state) throws(FileFailure) in
            state.calls += 1
            state.counts[call, default: 0] += 1
            if let cut = state.rules.cutAt, state.calls >= cut { throw FileFailure(call, EIO) }
            if state.rules.isGone { throw FileFailure(call, ENOENT) }
            if writes, state.rules.isReadOnly { throw FileFailure(call, EROFS) }
            let fails = state.rules.failAt == state.calls
            if fails, !state.rules.failsAfterwards { throw FileFailure(call, state.rules.failCode) }
            let result = try body(&state)
            if writes { state.trace.append("\(call) \(path.lastComponent)") }
            if fails { throw FileFailure(call, state.rules.failCode) }
            return result
        }
    }

    /// The name as it is there, in whatever case it was asked for.
    private static func resolve(_ path: String, _ state: State) -> String {
        guard state.rules.ignoresCase, state.names[path] == nil else { return path }
        let wanted = path.lowercased()
        if let found = state.names.keys.first(where: { $0.lowercased() == wanted }) { return found }
        return path == root ? path : resolve(path.parent, state) + "/" + path.lastComponent
    }

    private static func number(
        _ call: String, _ path: String, _ state: State
    ) throws(FileFailure) -> Int {
        let found = resolve(path, state)
        guard state.rules.isMounted || found == root, let number = state.names[found] else {
            throw FileFailure(call, ENOENT)
        }
        return number
    }

    func entries(of directory: String) throws(FileFailure) -> [FolderEntry] {
        try meet("list") { (state) throws(FileFailure) in
            _ = try Self.number("list", directory, state)
            guard state.rules.isMounted else { return [] }
            let prefix = Self.resolve(directory, state) + "/"
            return state.names.compactMap { name, number in
                guard name.hasPrefix(prefix), let node = state.nodes[number] else { return nil }
                let rest = name.dropFirst(prefix.count)
                guard !rest.contains("/") else { return nil }
                return FolderEntry(
                    name: String(rest), kind: node.isDirectory ? .directory : .file,
                    length: node.bytes.count, identity: UInt64(number))
            }
        }
    }

    func read(_ file: String, upTo count: Int) throws(FileFailure) -> FileContent {
        try meet("read") { (state) throws(FileFailure) in
            let number = try Self.number("open", file, state)
            guard let node = state.nodes[number], !node.isDirectory else {
                throw FileFailure("open", EINVAL)
            }
            return FileContent(
                bytes: Array(node.bytes.prefix(count)), length: node.bytes.count,
                identity: UInt64(number))
        }
    }

    private func add(
        _ path: String, _ node: Node, _ call: String, _ state: inout State
    ) throws(FileFailure) -> Int {
        let place = Self.resolve(path, state)
        _ = try Self.number(call, place.parent, state)
        guard place.lastComponent.utf8.count <= state.rules.nameLengthMax else {
            throw FileFailure(call, ENAMETOOLONG)
        }
        guard state.names[place] == nil else { throw FileFailure(call, EEXIST) }
        let number = state.next
        state.next += 1
        state.nodes[number] = node
        state.names[place] = number
        return number
    }

    func makeDirectory(_ path: String) throws(FileFailure) {
        // Asking for one that is there writes nothing.
        let isThere = state.withLock {
            $0.names[Self.resolve(path, $0)] != nil && $0.rules.isMounted
        }
        try meet("mkdir", path, writes: !isThere) { (state) throws(FileFailure) in
            if !isThere { _ = try add(path, Node(isDirectory: true), "mkdir", &state) }
        }
    }

    func create(_ file: String) throws(FileFailure) -> Int32 {
        try meet("create", file, writes: true) { (state) throws(FileFailure) in
            let number = try add(file, Node(), "create", &state)
            state.open[Int32(number)] = number
            return Int32(number)
        }
    }

    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(FileFailure) -> Int {
        try meet("write", writes: true) { (state) throws(FileFailure) in
            guard let number = state.open[descriptor] else { throw FileFailure("write", EBADF) }
            let used = state.names.values.reduce(0) { $0 + (state.nodes[$1]?.bytes.count ?? 0) }
            // A full medium takes what fits first, and a write need not be whole.
            let room = min(state.rules.capacity - used, max(4096, bytes.count / 2))
            guard room > 0 || bytes.isEmpty else { throw FileFailure("write", ENOSPC) }
            state.nodes[number]?.bytes += bytes.prefix(room)
            return min(room, bytes.count)
        }
    }

    func synchronize(_ descriptor: Int32) throws(FileFailure) {
        try meet("fsync") { (state) throws(FileFailure) in
            guard let number = state.open[descriptor] else { throw FileFailure("fsync", EBADF) }
            let bytes = state.nodes[number]?.bytes ?? []
            state.nodes[number]?.flushed = bytes
        }
    }

    func close(_ descriptor: Int32) throws(FileFailure) {
        try meet("close") { (state) throws(FileFailure) in state.open[descriptor] = nil }
    }

    func rename(_ old: String, to new: String) throws(FileFailure) {
        try meet("rename", new, writes: true) { (state) throws(FileFailure) in
            let number = try Self.number("rename", old, state)
            guard new.lastComponent.utf8.count <= state.rules.nameLengthMax else {
                throw FileFailure("rename", ENAMETOOLONG)
            }
            state.names[Self.resolve(old, state)] = nil
            state.names[Self.resolve(new, state)] = number
        }
    }

    func remove(_ file: String) throws(FileFailure) {
        try meet("remove", file, writes: true) { (state) throws(FileFailure) in
            _ = try Self.number("unlink", file, state)
            state.names[Self.resolve(file, state)] = nil
        }
    }

    func synchronizeDirectory(_ path: String) throws(FileFailure) {
        try meet("fsync directory") { (state) throws(FileFailure) in
            let place = Self.resolve(path, state)
            _ = try Self.number("open directory", place, state)
            guard state.rules.flushesDirectories else {
                throw FileFailure("fsync directory", EINVAL)
            }
            for name in Set(state.names.keys).union(state.flushedNames.keys)
            where name.parent == place {
                state.flushedNames[name] = state.names[name]
            }
        }
    }
}
