/// What a device needs to join a ledger; whoever reads it can read the ledger.
///
/// With a token, its holder is admitted by the replica that made it, once and until it expires.
///
/// ```swift
/// let text = try ledger.invite(name: "tablet", addresses: ["phone.example:7777"]).text
/// let invitation = try Invitation(text)
/// let tablet = try Ledger.join(invitation, at: directory)
/// ```
public struct Invitation: Sendable, Hashable {
    /// The ledger's id.
    public let ledger: LedgerID
    /// The ledger's key.
    package let key: [UInt8]
    /// Who invites.
    public let inviter: ReplicaID
    /// Where the inviter can be reached, `HOST:PORT`; empty where only a folder leads to it.
    public let addresses: [String]
    /// When the token expires, Unix milliseconds of the inviter's clock; nil without a token.
    public var expires: Int64? { pass?.expires }
    /// What lets its holder in; nil where a member admits the replica by its id.
    package let pass: Pass?

    /// The one-time part of an invitation.
    package struct Pass: Sendable, Hashable {
        package let token: Bytes16
        package let expires: Int64
        /// The inviter's X25519 key, to which a request that passes through a folder is sealed.
        package let sealingKey: Bytes32

        /// What the inviter keeps of the token: it is of no use to who reads it.
        func digest(in ledger: LedgerID) throws(LedgerError) -> Bytes32 {
            try Self.digest(of: token, in: ledger)
        }

        static func digest(of token: Bytes16, in ledger: LedgerID) throws(LedgerError) -> Bytes32 {
            try Crypto.sha256(Array("consent-ledger/token/1".utf8) + ledger.bytes + token.bytes)
        }
    }

    /// By which the inviter lists and revokes it; nil without a token, about which it tells nothing.
    public var id: String? {
        guard let pass, let digest = try? pass.digest(in: ledger) else { return nil }
        return IssuedInvitation.id(of: digest)
    }

    /// The most addresses that an invitation names.
    public static let addressesMax = 8
    /// The most bytes of an address: a host name has 253, then come colon and port.
    package static let addressLengthMax = 255
    private static let prefix = "ledger2-"
    private static let checkLength = 4

    init(
        ledger: LedgerID, key: [UInt8], inviter: ReplicaID, addresses: [String] = [],
        pass: Pass? = nil
    ) {
        self.ledger = ledger
        self.key = key
        self.inviter = inviter
        self.addresses = addresses
        self.pass = pass
    }

    /// One string that carries it all, with a checksum against cutting and typing errors.
    public var text: String {
        var bytes = ledger.bytes + key + inviter.bytes
        bytes.append(pass == nil ? 0 : 1)
        if let pass {
            bytes += pass.token.bytes + pass.sealingKey.bytes
            bytes += withUnsafeBytes(of: pass.expires.bigEndian) { Array($0) }
        }
        bytes.append(UInt8(addresses.count))
        for address in addresses {
            bytes.append(UInt8(address.utf8.count))
            bytes += address.utf8
        }
        let check = (try? Crypto.sha256(bytes).bytes.prefix(Self.checkLength)) ?? []
        return Self.prefix + Base32.encode(bytes + check)
    }

    /// Reads the string, in either case.
    ///
    /// - Parameter text: as ``text`` wrote it.
    /// - Throws: `malformed` when it was cut or altered; the text is not repeated.
    public init(_ text: String) throws(LedgerError) {
        let form = text.prefix(Self.prefix.utf8.count).lowercased()
        guard form == Self.prefix else {
            throw LedgerError(
                .malformed,
                form == "ledger1-"
                    ? "This invitation was made by an older version; make a new one there."
                    : "This is not an invitation: one begins with \(Self.prefix).")
        }
        guard let bytes = Base32.decode(String(text.dropFirst(Self.prefix.count))),
            bytes.count > Self.checkLength,
            try Crypto.sha256(Array(bytes.dropLast(Self.checkLength))).bytes
                .starts(with: bytes.suffix(Self.checkLength)),
            let invitation = Self.read(bytes.dropLast(Self.checkLength))
        else {
            throw LedgerError(
                .malformed,
                "The invitation was cut or altered on its way; copy it again, the whole line.")
        }
        self = invitation
    }

    private static func read(_ bytes: ArraySlice<UInt8>) -> Invitation? {
        var rest = bytes
        func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        guard let ledger = take(16).flatMap({ LedgerID(bytes: Array($0)) }), let key = take(32),
            let inviter = take(32).flatMap({ ReplicaID(bytes: Array($0)) }),
            let kind = take(1)?.first, kind <= 1
        else { return nil }
        var pass: Pass?
        if kind == 1 {
            guard let token = take(16).flatMap({ Bytes16($0) }),
                let sealingKey = take(32).flatMap({ Bytes32($0) }), let time = take(8)
            else { return nil }
            let expires = time.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            pass = Pass(
                token: token, expires: Int64(bitPattern: expires), sealingKey: sealingKey)
        }
        guard let count = take(1)?.first, count <= addressesMax else { return nil }
        var addresses: [String] = []
        for _ in 0..<count {
            guard let length = take(1)?.first,
                let address = take(Int(length)).flatMap({ String(validating: $0, as: UTF8.self) }),
                isAddress(address)
            else { return nil }
            addresses.append(address)
        }
        guard rest.isEmpty else { return nil }
        return Invitation(
            ledger: ledger, key: Array(key), inviter: inviter, addresses: addresses, pass: pass)
    }

    /// Whether a text can be an address; who connects looks at it more closely.
    static func isAddress(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= addressLengthMax && text.contains(":")
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}

/// An invitation that this replica gave out.
///
/// ```swift
/// for invited: IssuedInvitation in try ledger.invitations() where invited.state == .waiting {
///     lines.append("\(invited.name ?? invited.id) until \(invited.expires)")
/// }
/// ```
public struct IssuedInvitation: Sendable, Hashable {
    /// What became of it.
    public enum State: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// Nobody came with it yet.
        case waiting
        /// Somebody was admitted with it.
        case used
        /// Its time is over.
        case expired
        /// It was revoked here, or this replica's state was restored or copied since.
        case revoked

        /// The word.
        public var description: String { rawValue }
    }

    /// By which it is revoked; it tells nothing about the token.
    public let id: String
    /// What the replica that comes with it will be called.
    public let name: String?
    /// When it was made, Unix milliseconds.
    public let created: Int64
    /// When it expires, Unix milliseconds.
    public let expires: Int64
    /// What became of it.
    public let state: State
    /// Who was admitted with it.
    public let replica: ReplicaID?

    private static let idLength = 13

    static func id(of digest: Bytes32) -> String {
        String(Base32.encode(digest.bytes).prefix(idLength))
    }
}

/// What the inviter says to somebody who showed it one of its tokens.
///
/// ```swift
/// let outcome: JoinOutcome = .used
/// ```
public enum JoinOutcome: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The replica is a member.
    case admitted
    /// Somebody else was admitted with the token.
    case used
    /// The token's time is over.
    case expired
    /// The token was revoked, or the inviter's state was restored or copied since it was made.
    case revoked
    /// The replica was removed from the ledger; only the recovery key brings it back.
    case removed
    /// The inviter is no member any more, and cannot admit anybody.
    case powerless

    /// The word.
    public var description: String {
        ["admitted", "used", "expired", "revoked", "removed", "powerless"][Int(rawValue)]
    }
}

/// A replica that shows a token.
package struct JoinRequest: Sendable, Hashable {
    package let replica: ReplicaID
    /// Its X25519 key, for keys that are sealed to it.
    package let sealingKey: Bytes32
    package let token: Bytes16

    package init(replica: ReplicaID, sealingKey: Bytes32, token: Bytes16) {
        self.replica = replica
        self.sealingKey = sealingKey
        self.token = token
    }
}
