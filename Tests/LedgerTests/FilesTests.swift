import TestSupport
import Testing

@testable import Ledger

@Suite struct FilesTests {
    @Test func `a new file is whole under its name, and nothing else is left`() throws {
        let directory = TemporaryDirectory()
        let path = directory.path + "/key"
        try Files.writeNew([1, 2, 3], to: path)
        #expect(SmallFile.read(path, max: 16) == [1, 2, 3])
        let error = #expect(throws: LedgerError.self) { try Files.writeNew([4], to: path) }
        #expect(error?.code == .exists)
        #expect(SmallFile.read(path, max: 16) == [1, 2, 3])
        #expect(directory.names == ["key"])
    }

    @Test func `a file that cannot be written leaves nothing`() throws {
        let directory = TemporaryDirectory()
        let error = #expect(throws: LedgerError.self) {
            try Files.writeNew([1], to: directory.path + "/none/key")
        }
        #expect(error?.code == .notFound)
        #expect(directory.names.isEmpty)
    }
}
