import Testing

@testable import ledgerd

@Suite struct StateDirectoryTests {
    @Test(
        arguments: [
            ("/a", ["LEDGERD_DIR": "/b"], "/a"),
            (nil, ["LEDGERD_DIR": "/b", "XDG_STATE_HOME": "/c", "HOME": "/d"], "/b"),
            (nil, ["XDG_STATE_HOME": "/c", "HOME": "/d"], "/c/ledgerd"),
            (nil, ["XDG_STATE_HOME": "relative", "HOME": "/d"], "/d/.local/state/ledgerd"),
            (nil, ["LEDGERD_DIR": "", "HOME": "/d"], "/d/.local/state/ledgerd"),
        ] as [(String?, [String: String], String)])
    func `the first that is given holds`(
        option: String?, variables: [String: String], path: String
    ) throws {
        let console = TestConsole()
        console.variables = variables
        #expect(try StateDirectory.path(option: option, console) == path)
    }

    @Test func `without any surroundings one message names the option and no restart helps`() {
        let console = TestConsole()
        #expect(console.run("id") == .configuration)
        #expect(console.errorText.contains("--dir DIR"))
        #expect(console.errorText.split(separator: "\n").count == 1)
        #expect(console.output.isEmpty)
    }

    @Test(arguments: [
        ("/home/x/Dropbox/ledger", "Dropbox"), ("/home/x/Dropbox (Work)/a/b", "Dropbox"),
        ("/home/x/OneDrive - Example/ledger", "OneDrive"),
        ("/Users/x/Library/Mobile Documents/com~apple/ledger", "iCloud"),
        ("/home/x/Dropboxes/ledger", nil), ("/home/x/.local/state/ledgerd", nil),
    ])
    func `a folder that a sync program copies is told by its name`(path: String, program: String?) {
        #expect(SyncedFolder.find(path) == program)
    }

    @Test func `a folder that a sync program copies is told by its mark`() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("shared")
        try folder.makeFolder("shared/.stfolder")
        try folder.makeFolder(".dropbox")
        #expect(SyncedFolder.find(folder.file("shared/a/ledger")) == "Syncthing")
        #expect(SyncedFolder.find(folder.file("ledger")) == nil)
    }

    @Test func `no ledger is made where a sync program would damage it`() {
        let console = TestConsole()
        #expect(console.run("init", "--dir", "/nowhere/Dropbox/ledger") == .configuration)
        #expect(console.errorText.contains("Dropbox"))
    }

    @Test func `an error is one JSON object where JSON is asked for`() {
        let console = TestConsole()
        #expect(console.run("id", "--json") == .configuration)
        #expect(console.errorText.hasPrefix(#"{"error":{"code":"configuration","exit":78,"#))
        #expect(console.run("id", "--json", "--bogus") == .usage)
        #expect(console.errorText.hasPrefix(#"{"error":{"code":"usage","exit":64,"#))
    }

    @Test(arguments: ["state", "state/inner", "."])
    func `a drop folder and the state directory do not lie in each other`(name: String) throws {
        let fixture = try CommandFixture()
        #expect(fixture.console.run("sync", "folder", fixture.folder.file(name)) == .usage)
        #expect(fixture.folder.names().contains("state"))
    }

    @Test func `an empty database is damaged and stays as it is`() throws {
        let fixture = try CommandFixture()
        _ = try fixture.folder.write("", to: "state/ledger.db")
        #expect(fixture.console.run("status") == .damaged)
        #expect(fixture.camera("record", "answer", "--outcome", "denied") == .damaged)
        #expect(try fixture.folder.read("state/ledger.db") == "")
    }
}
