extension Catalog {
    private static let fileBytesMax = 4 << 20

    /// Reads a catalog's file.
    ///
    /// - Parameter path: where it is.
    /// - Throws: `notFound` when it cannot be read, `malformed` naming file, line and key.
    public init(readFrom path: String) throws(LedgerError) {
        guard let bytes = SmallFile.read(path, max: Self.fileBytesMax) else {
            throw LedgerError(.notFound, "The catalog \(path) cannot be read; name its file.")
        }
        try self.init(json: bytes, file: path)
    }
}
