import Testing

@testable import Ledger
@testable import SyncEngine

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What somebody sees who is no member, looked at with another implementation's eyes: OpenSSL's
/// own client on the command line.
@Suite(.serialized, .timeLimit(.minutes(5))) struct StrangerTests {
    private let ledger: FakeLedger
    private let removed: FakeLedger
    private let folder: TemporaryFolder
    private let listening: TestService

    init() throws {
        (ledger, removed) = try SessionTests.pair(20, 10)
        folder = try TemporaryFolder()
        // The removed one's log is here, so it is no stranger to the ledger; but it is no member.
        listening = try TestService(ledger) { $0.limits.handshakeMilliseconds = 400 }
        try Self.writeKey(SigningKey(seed: [UInt8](repeating: 9, count: 32)), "stranger", folder)
        try Self.writeKey(removed.key, "removed", folder)
    }

    /// A key and its certificate as files (RFC 8410), made by OpenSSL's tool.
    private static func writeKey(
        _ key: SigningKey, _ name: String, _ folder: TemporaryFolder
    ) throws {
        let prefix: [UInt8] = [
            0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20,
        ]
        let text = """
            -----BEGIN PRIVATE KEY-----
            \(Crypto.base64(prefix + key.seed))
            -----END PRIVATE KEY-----

            """
        try folder.write(Array(text.utf8), to: "\(folder.path)/\(name).key")
        _ = run(
            "openssl req -x509 -new -subj /CN=x -days 1 -key \(folder.path)/\(name).key "
                + "-out \(folder.path)/\(name).pem")
    }

    private static func run(_ command: String) -> String {
        guard let pipe = popen("( \(command) ) 2>&1 </dev/null", "r") else { return "" }
        defer { pclose(pipe) }
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&chunk, 1, chunk.count, pipe)
            if count == 0 { return String(decoding: output, as: UTF8.self) }
            output += chunk.prefix(count)
        }
    }

    /// What OpenSSL's client saw: how many bytes came, and its whole report.
    private func call(_ options: String) -> (read: Int?, report: String) {
        let report = Self.run(
            "openssl s_client -connect 127.0.0.1:\(listening.port) -ign_eof \(options)")
        let line = report.split(separator: "\n").first { $0.contains("handshake has read") }
        let words = (line ?? "").split(separator: " ")
        let place = words.firstIndex(of: "read").map { $0 + 1 }
        return (place.flatMap { Int(words[$0]) }, report)
    }

    private func certificate(_ name: String) -> String {
        "-cert \(folder.path)/\(name).pem -key \(folder.path)/\(name).key"
    }

    @Test func `whoever is no member sees the same, whatever it shows`() throws {
        defer { listening.service.stop() }
        let speaking = "-tls1_3 -alpn consent-ledger/1"
        let cases = [
            "a stranger": call("\(speaking) \(certificate("stranger"))"),
            "a removed member": call("\(speaking) \(certificate("removed"))"),
            "nobody": call(speaking),
        ]
        for (name, seen) in cases {
            #expect(seen.read ?? 0 > 300, "\(name): \(seen.report)")
            #expect(seen.report.contains("ALPN protocol: consent-ledger/1"), "\(name)")
            #expect(!seen.report.contains("CLS1") && !seen.report.contains("alert"), "\(name)")
            #expect(
                !seen.report.contains("SSL-Session:") || !seen.report.contains("TLS session ticket")
            )
        }
        #expect(Set(cases.values.map(\.read)).count == 1)
        #expect(listening.service.snapshot().strangersRefused == 3)
        #expect(listening.service.snapshot().peers.isEmpty)
    }

    @Test func `whoever does not speak the protocol sees nothing at all`() throws {
        defer { listening.service.stop() }
        let cases = [
            "TLS 1.2": call("-tls1_2 -alpn consent-ledger/1 \(certificate("removed"))"),
            "another protocol": call("-tls1_3 -alpn h2 \(certificate("removed"))"),
            "another group": call("-tls1_3 -alpn consent-ledger/1 -groups P-256"),
        ]
        for (name, seen) in cases {
            #expect(seen.read == 0, "\(name): \(seen.report)")
            #expect(!seen.report.contains("alert"), "\(name): \(seen.report)")
        }
        #expect(listening.service.snapshot().strangersRefused == 3)
    }

    @Test func `the certificate tells the key and nothing else`() throws {
        defer { listening.service.stop() }
        let seen = call("-tls1_3 -alpn consent-ledger/1 -showcerts")
        let lines = seen.report.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex(of: "-----BEGIN CERTIFICATE-----"))
        let end = try #require(lines.firstIndex(of: "-----END CERTIFICATE-----"))
        let text = lines[begin...end].joined(separator: "\n") + "\n"
        try folder.write(Array(text.utf8), to: "\(folder.path)/server.pem")
        let shown = Self.run(
            "openssl x509 -in \(folder.path)/server.pem -noout -subject -issuer -dates -serial")
        #expect(
            shown.split(separator: "\n") == [
                "subject=", "issuer=", "notBefore=Jan  1 00:00:00 1970 GMT",
                "notAfter=Dec 31 23:59:59 9999 GMT", "serial=01",
            ], "\(shown)")
        let key = Self.run(
            "openssl x509 -in \(folder.path)/server.pem -noout -pubkey | "
                + "openssl pkey -pubin -outform DER | tail -c 32 | od -An -v -tx1")
        let hex = key.split { $0 == " " || $0 == "\n" }.compactMap { UInt8($0, radix: 16) }
        #expect(hex == ledger.key.publicKey.bytes)
    }
}
