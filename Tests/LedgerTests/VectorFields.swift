@testable import Ledger

extension Payload {
    /// What the payload says, by the names of the format's field table.
    var vectorFields: JSON {
        var fields: [(String, JSON)] = []
        func text(_ name: String, _ value: (some CustomStringConvertible)?) {
            if let value { fields.append((name, .text(value.description))) }
        }
        func bytes(_ name: String, _ value: [UInt8]?) {
            if let value { fields.append((name, .hex(value))) }
        }
        func number(_ name: String, _ value: Int64?) {
            if let value { fields.append((name, .number(value))) }
        }
        text("subject", subject)
        text("device", device)
        text("install", install)
        text("resource", resource)
        text("scope", scope)
        text("outcome", outcome)
        text("status", status)
        text("extent", extent)
        text("authority", authority)
        bytes("answers", answers?.bytes)
        bytes("unit", unit?.bytes)
        text("revision", revision)
        text("locale", locale)
        text("feature", feature)
        text("primer", primer)
        text("askedExtent", askedExtent)
        text("application", application)
        text("applicationVersion", applicationVersion)
        number("wall", wall)
        text("oldStatus", oldStatus)
        text("oldExtent", oldExtent)
        number("windowStart", windowStart)
        number("windowEnd", windowEnd)
        number("occurredAt", occurredAt)
        number("end", end)
        text("signingIdentity", signingIdentity)
        text("surface", surface)
        if let buttons { fields.append(("buttons", .list(buttons.map { .text($0) }))) }
        text("idempotencyKey", idempotencyKey)
        text("source", source)
        text("note", note)
        text("unitKind", unitKind)
        bytes("unitContent", unitContent)
        return .object(fields)
    }
}

extension LogOpening {
    var vectorFields: JSON {
        var fields: [(String, JSON)] = [
            ("replica", .hex(replica.bytes)), ("epoch", .hex(epoch.bytes)),
            ("sealingKey", .hex(sealingKey.bytes)),
        ]
        if let founding {
            fields.append(("recoveryKey", .hex(founding.recoveryKey.bytes)))
            fields.append(("nonce", .hex(founding.nonce.bytes)))
        }
        if let continues {
            fields.append(("continuesLog", .hex(continues.log.bytes)))
            fields.append(("continuesSize", .number(Int64(continues.size))))
            fields.append(("continuesRoot", .hex(continues.root.bytes)))
        }
        fields.append(("reason", .text(reason.description)))
        return .object(fields)
    }
}

extension MemberAdmission {
    var vectorFields: JSON {
        var fields: [(String, JSON)] = [("replica", .hex(replica.bytes))]
        if let name { fields.append(("name", .text(name))) }
        if folderKeys.isEmpty || !overrules.isEmpty {
            fields.append(("overrules", .list(overrules.map { .hex($0.bytes) })))
        }
        if !folderKeys.isEmpty {
            let keys = folderKeys.map { key in
                JSON.list([
                    .number(Int64(key.generation)), .hex(key.removal.bytes), .hex(key.bytes),
                ])
            }
            fields.append(("folderKeys", .list(keys)))
        }
        return .object(fields)
    }
}

extension MemberRemoval {
    var vectorFields: JSON {
        .object([
            ("replica", .hex(replica.bytes)),
            (
                "points",
                .list(
                    points.map {
                        .list([.hex($0.log.bytes), .number(Int64($0.size)), .hex($0.root.bytes)])
                    })
            ),
            ("generation", .number(Int64(generation))),
            (
                "sealedKeys",
                .list(sealedKeys.map { .list([.hex($0.replica.bytes), .hex($0.bytes)]) })
            ),
        ])
    }
}
