/// What a directory holds.
package struct FolderEntry: Sendable, Hashable {
    package enum Kind: Sendable { case file, directory, other }
    package let name: String
    package let kind: Kind
    /// Of a file, in bytes.
    package let length: Int
    /// The number by which the file system tells a file from others while it is there.
    package let identity: UInt64

    package init(name: String, kind: Kind, length: Int = 0, identity: UInt64 = 0) {
        self.name = name
        self.kind = kind
        self.length = length
        self.identity = identity
    }
}

/// What was read of a file.
package struct FileContent: Sendable {
    package var bytes: [UInt8]
    /// Of the whole file.
    package let length: Int
    package let identity: UInt64

    package init(bytes: [UInt8], length: Int, identity: UInt64) {
        self.bytes = bytes
        self.length = length
        self.identity = identity
    }
}

/// A system call that failed, by `errno`.
package struct FileFailure: Error, Sendable, Hashable {
    package let call: String
    package let code: Int32

    package init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }
}

/// The calls that a drop folder is read and written with, so that a test can make each one fail.
package protocol FolderFileSystem: Sendable {
    /// The entries of a directory, in any order, without `.` and `..`; links are `other`.
    func entries(of directory: String) throws(FileFailure) -> [FolderEntry]
    /// Up to `count` bytes from the beginning of a regular file.
    func read(_ file: String, upTo count: Int) throws(FileFailure) -> FileContent
    /// Makes a directory; nothing happens when it is there.
    func makeDirectory(_ path: String) throws(FileFailure)
    /// Makes a file that must not exist and opens it for writing.
    func create(_ file: String) throws(FileFailure) -> Int32
    /// Writes some of the bytes and says how many.
    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) throws(FileFailure) -> Int
    /// Waits until the file's bytes are on the medium.
    func synchronize(_ descriptor: Int32) throws(FileFailure)
    func close(_ descriptor: Int32) throws(FileFailure)
    func rename(_ old: String, to new: String) throws(FileFailure)
    func remove(_ file: String) throws(FileFailure)
    /// Waits until the names in a directory are on the medium; `EINVAL` or `ENOTSUP` where the file
    /// system does not know the call.
    func synchronizeDirectory(_ path: String) throws(FileFailure)
}
