import Testing

@testable import ledgerd

@Suite struct ManualTests {
    @Test func `the manual in the repository is the one the command table gives`() throws {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = "/\(root)/docs/CLI.md"
        let bytes = try InputFile.read(path, bytesMax: 1 << 20, TestConsole())
        #expect(
            String(decoding: bytes, as: UTF8.self) == Manual.markdown,
            "write it anew: ledgerd help --markdown > docs/CLI.md")
    }

    @Test func `the manual names every command, option and exit code`() {
        for command in CommandTable.all {
            #expect(Manual.markdown.contains("\n## \(command.name)\n"))
            for option in command.spec.allOptions {
                #expect(Manual.markdown.contains("--\(option.name)"))
            }
        }
        for code in ExitCode.allCases {
            #expect(Manual.markdown.contains("| \(code.rawValue) | \(code.meaning) |"))
        }
    }
}
