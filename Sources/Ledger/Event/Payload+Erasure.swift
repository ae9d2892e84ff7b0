extension Payload {
    /// Whether it says no more than that a resource is denied: all that is taken about an erased
    /// subject.
    var isBareDenial: Bool {
        guard outcome == .denied, resource != nil, subject == nil else { return false }
        return self == Payload.bareDenial(of: self)
    }

    /// The resource, scope and outcome of a denial, without anything about the person.
    static func bareDenial(of payload: Payload) -> Payload {
        var bare = Payload()
        bare.resource = payload.resource
        bare.scope = payload.scope
        bare.outcome = .denied
        bare.wall = payload.wall
        return bare
    }

    /// Whether it fits an `erased` event: empty, or what it confirms.
    var isBareErasure: Bool {
        var bare = Payload()
        bare.answers = answers
        bare.wall = wall
        return self == bare
    }
}

extension Event.Content {
    /// Whether a body outlives the erasure of its subject.
    func isKeptWhenErased(_ kind: EventKind) -> Bool {
        guard case .payload(let payload) = self else { return false }
        switch kind {
        case .answerGiven: return payload.isBareDenial
        case .erased: return payload.isBareErasure
        default: return false
        }
    }
}

extension ScannedBody {
    /// Whether it outlives the erasure of its subject.
    func isKeptWhenErased(_ kind: EventKind) -> Bool {
        guard case .payload(let scan) = self else { return false }
        switch kind {
        case .answerGiven: return scan.isBareDenial
        case .erased: return scan.isBareErasure
        default: return false
        }
    }
}

extension Place {
    /// Where a bare denial of a device-scoped resource holds: its devices and installs were erased.
    ///
    /// No name is empty, so no other event is about this place.
    static let everywhere = Place(device: "", install: "")
}
