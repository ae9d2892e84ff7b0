#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The project's own files, for tests about the project.
public enum SourceTree {
    /// One file.
    public struct File: Sendable, CustomStringConvertible {
        /// Its path below the root.
        public let path: String
        /// Its text.
        public let text: String
        /// Its lines.
        public var lines: [Substring] {
            text.split(separator: "\n", omittingEmptySubsequences: false)
        }
        /// The path.
        public var description: String { path }
    }

    /// The root, found from where this file was compiled.
    public static let root: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/")
    }()

    /// All files below some folders that end in one of the suffixes.
    public static func files(in folders: [String], suffixes: [String]) -> [File] {
        folders.flatMap { walk("\(root)/\($0)") }.sorted().compactMap { path in
            guard suffixes.contains(where: path.hasSuffix), let text = read(path) else {
                return nil
            }
            return File(path: String(path.dropFirst(root.count + 1)), text: text)
        }
    }

    /// One file's text.
    public static func read(_ path: String) -> String? {
        guard let file = fopen(path.hasPrefix("/") ? path : "\(root)/\(path)", "r") else {
            return nil
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk.prefix(count)
        }
    }

    private static func walk(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [path] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." || name == "build" { continue }
            found += walk("\(path)/\(name)")
        }
        return found
    }
}
