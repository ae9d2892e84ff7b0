import Ledger
import SyncEngine
import TestSupport
import Testing

@testable import ledgerd

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The control socket of a running daemon.
@Suite struct ControlTests {
    private static let mail = #""subject":"me","resource":"mail""#

    private static func event(_ outcome: String, _ more: String = "") -> String {
        #"{"kind":"answer",\#(mail),"scope":"person","outcome":"\#(outcome)"\#(more)}"#
    }

    @Test func `it records one, many or none, and asks`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        let client = try fixture.client()
        let many =
            #"{"id":"a","op":"append","events":[\#(Self.event("allowed")),"#
            + #"\#(Self.event("denied", #","idempotencyKey":"k""#))]}"#
        let answers = try client.ask(many)
        #expect(answers.count == 1 && answers[0]["id"]?.text == "a")
        #expect(answers[0]["result"]?["events"]?.elements?.count == 2)
        // The second of two is refused: the first is not recorded either.
        let broken = #"{"op":"append","events":[\#(Self.event("allowed")),{"kind":"answer"}]}"#
        #expect(try client.errorCode(broken) == "invalid")
        let again = #"{"op":"append","event":\#(Self.event("denied", #","idempotencyKey":"k""#))}"#
        #expect(try client.result(again)["new"]?.truth == false)
        let history = try client.ask(#"{"op":"history",\#(Self.mail),"kind":["answer"]}"#)
        #expect(history.compactMap { $0["item"]?["outcome"]?.text } == ["allowed", "denied"])
        #expect(history.last?["result"]?["items"]?.integer == 2)
        let status = try client.result(#"{"op":"status",\#(Self.mail),"why":true}"#)
        #expect(status["status"]?.text == "denied" && status["events"]?.elements?.count == 1)
        let list = try client.ask(#"{"op":"statuses","subject":"me"}"#)
        #expect(list.first?["item"]?["resource"]?.text == "mail" && list.count == 2)
        _ = child
    }

    @Test(arguments: [
        (#"{"op":"statsu"}"#, "unknownOperation", "did you mean status?"),
        (#"{"op":"status","subject":"me","resorce":"x","resource":"y"}"#, "invalid", "resource?"),
        (#"{"op":"status","subject":"me"}"#, "invalid", "“resource” is missing"),
        (#"{"op":"history","since":"yesterday"}"#, "usage", "--since"),
        (#"{"op":"history","follow":"yes"}"#, "invalid", "true or false"),
        (#"{"op":"append"}"#, "invalid", "either “event” or “events”"),
        (#"{"op":"append","event":{"kind":"answr"}}"#, "invalid", "“kind” must be one of"),
        (#"{"op":"enter","feature":"f"}"#, "configuration", "no catalog"),
        (
            #"{"op":"command","name":"init","arguments":[],"values":{},"flags":[]}"#, "invalid",
            "record"
        ),
        (#"{"op":"subscribe","keys":[]}"#, "invalid", "list of keys"),
        (#"{"op":7}"#, "invalid", "“op”"), (#"[1]"#, "invalid", "an object expected"),
        (#"{"op":"health","op":"health"}"#, "malformed", "twice"),
        (#"{"id":{},"op":"health"}"#, "invalid", "“id”"), ("nonsense", "malformed", "request:1:1"),
    ])
    func `a wrong request is refused with code, place and line, and the next one goes on`(
        line: String, code: String, part: String
    ) throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        let client = try fixture.client()
        let answer = try #require(try client.ask(line).last)
        #expect(answer["error"]?["code"]?.text == code, "\(answer)")
        #expect(answer["error"]?["message"]?.text?.contains(part) == true, "\(answer)")
        #expect(answer["line"]?.integer == 1)
        let next = try #require(try client.ask(#"{"op":"health"}"#).last)
        #expect(next["line"]?.integer == 2 && next["result"]?["healthy"]?.truth == true)
        _ = child
    }

    @Test func `a subscription tells what is, and every change of whichever process`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        let client = try fixture.client()
        try client.send(#"{"op":"subscribe","keys":[{\#(Self.mail)}]}"#)
        #expect(try client.next()?["item"]?["status"]?.text == "notDetermined")
        let other = try Ledger(openAt: fixture.state)
        for outcome in [Outcome.allowed, .denied, .allowed] {
            var draft = Draft.answered("me", resource: "mail", at: nil, outcome)
            draft.payload.scope = .person
            try other.append(draft)
            let told = try client.next()?["item"]
            #expect(told?["status"]?.text == (outcome == .denied ? "denied" : "authorized"))
        }
        // The next request ends it and is answered.
        try client.send(#"{"op":"health"}"#)
        #expect(try client.next()?["result"]?["items"]?.integer == 4)
        #expect(try client.next()?["result"]?["healthy"]?.truth == true)
        try other.close()
        _ = child
    }

    @Test func `a grant that expires is told without an event`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        let client = try fixture.client()
        let end = ISO8601.format(SystemClock.milliseconds() + 2000, offsetSeconds: 0)
        _ = try client.result(
            #"{"op":"append","event":\#(Self.event("allowed", #","end":"\#(end)""#))}"#)
        try client.send(#"{"op":"subscribe",\#(Self.mail)}"#)
        #expect(try client.next()?["item"]?["status"]?.text == "authorized")
        #expect(try client.next()?["item"]?["expired"]?.truth == true)
        _ = child
    }

    @Test func `history follows what arrives, until the next request`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        let client = try fixture.client()
        try client.send(#"{"op":"history","follow":true,"kind":"answer"}"#)
        let other = try Ledger(openAt: fixture.state)
        var draft = Draft.denied("me", resource: "mail", at: nil)
        draft.payload.scope = .person
        try other.append(draft)
        #expect(try client.next()?["item"]?["outcome"]?.text == "denied")
        try other.close()
        try client.send(#"{"op":"health"}"#)
        #expect(try client.next()?["result"]?["items"]?.integer == 1)
        _ = child
    }

    @Test func `a line without end is refused and the client dropped`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        let client = try fixture.client()
        let flood = [UInt8](repeating: 0x20, count: ControlRequest.bytesMax + 65536)
        _ = FileDescriptor.writeAll(flood, to: client.descriptor)
        #expect(try client.next()?["error"]?["code"]?.text == "limit")
        #expect(try client.next() == nil)
        #expect(try fixture.client().result(#"{"op":"health"}"#)["healthy"]?.truth == true)
        _ = child
    }

    @Test func `more clients than there is room for are told so`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        var clients: [ControlProbe] = []
        for _ in 0..<ControlServer.clientsMax {
            let client = try fixture.client()
            _ = try client.result(#"{"op":"health"}"#)
            clients.append(client)
        }
        #expect(try fixture.client().next()?["error"]?["code"]?.text == "limit")
        clients.removeLast()
        // The daemon notices the end of the other one in its own time.
        while true {
            let client = try fixture.client()
            // Whom it has no room for it may hang up on before anything is sent.
            let request = Array("{\"op\":\"health\"}\n".utf8)
            guard FileDescriptor.writeAll(request, to: client.descriptor) == nil else { continue }
            if try client.next()?["result"] != nil { break }
        }
        _ = child
    }

    @Test func `a reader that takes nothing is dropped in bounded time and memory`() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        let stop = try WakePipe()
        let connection = ControlConnection(
            owning: ends[0], stop: stop.read, writeMillisecondsMax: 20)
        #expect(!connection.write([UInt8](repeating: 0x61, count: 8 << 20)))
        #expect(!connection.isOpen)
    }

    @Test func `seeded rubbish never stops the daemon`() throws {
        let fixture = try DaemonFixture()
        let child = try fixture.start()
        var random = SplitMix(seed: 7)
        let words = [
            "{", "}", "\"op\":", "\"append\"", "\"status\"", ",", "[", "]", "\"event\":", "null",
            "\"subscribe\"", "\"keys\":", "7e9", "\u{0}", "\"id\":1", "\"command\"", "\"values\":",
        ]
        for _ in 0..<20 {
            let client = try fixture.client()
            for _ in 0..<20 {
                let line = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                    words.randomElement(using: &random) ?? ""
                }.joined()
                #expect(try client.ask(line).last?["error"] != nil, "seed 7: \(line)")
            }
        }
        #expect(try fixture.client().result(#"{"op":"health"}"#)["healthy"]?.truth == true)
        child.signal(SIGTERM)
        #expect(try child.wait() == 0)
    }
}
