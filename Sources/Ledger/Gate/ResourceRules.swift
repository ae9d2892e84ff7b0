/// The rules of an entry for one resource; the first that matches wins.
struct ResourceRules {
    let input: GateInput
    let facts: GateResource
    let need: Catalog.Need

    init(_ input: GateInput, _ index: Int) {
        self.input = input
        facts = input.facts(index)
        need = input.feature.needs[index]
    }

    func verdict() -> Verdict {
        absent() ?? restricted() ?? denied() ?? renewed() ?? granted() ?? undetermined()
    }

    // MARK: What holds

    /// The status on this install where there is one, else the person's.
    private var main: GateStatus { facts.device ?? facts.person ?? .unknown }

    /// The status on this install: the ledger's and the live one, whichever is narrower.
    private var status: PermissionStatus {
        if case .reported(let live, _)? = facts.live { return min(live, main.status) }
        return main.status
    }

    private var extent: Extent {
        var extent = main.extent
        if case .reported(_, let live)? = facts.live { extent = extent.intersection(live) }
        return extent.told(with: status)
    }

    private var grantsEnough: Bool {
        status.isGranting && (need.extent == .full || extent.covers(need.extent))
    }

    private var isDeviceScoped: Bool { facts.device != nil }

    /// The app's own form can always be shown again.
    private var canAsk: Status.Askability { isDeviceScoped ? main.canAsk : .yes }

    // MARK: Rules

    private func absent() -> Verdict? {
        switch facts.live {
        case .unsupported?: Verdict(way: .fallBack, reason: .unsupported)
        case .serviceOff?: Verdict(way: .fallBack, reason: .serviceOff, settingsWouldHelp: true)
        default: nil
        }
    }

    /// Settings are never offered: the person cannot change it there.
    private func restricted() -> Verdict? {
        guard status == .restricted || facts.person?.status == .restricted else { return nil }
        return Verdict(way: .fallBack, reason: .restricted)
    }

    private func denied() -> Verdict? {
        if facts.person?.status == .denied, isDeviceScoped {
            // The person's own no, given anywhere, binds this device too.
            let isOff = status == .denied
            return refused(
                reason: .denied, canAsk: isOff ? canAsk : .yes, settingsWouldHelp: isOff)
        }
        if isForAnotherBuild {
            let way: Verdict.Way = input.retry ? .offerSettings : .fallBack
            return Verdict(way: way, reason: .grantForAnotherBuild, settingsWouldHelp: true)
        }
        guard status == .denied else { return nil }
        let byPerson = main.status == .denied && main.isByPerson
        return refused(
            reason: byPerson ? .denied : .switchedOff, canAsk: canAsk,
            settingsWouldHelp: isDeviceScoped)
    }

    /// Asked again only on the person's wish, or when another question is to be put.
    private func refused(
        reason: Decision.Reason, canAsk: Status.Askability, settingsWouldHelp: Bool
    ) -> Verdict {
        if input.retry, mayAsk, canAsk != .no { return asking(.retried, after: nil) }
        if input.retry, settingsWouldHelp {
            return Verdict(way: .offerSettings, reason: reason, settingsWouldHelp: true)
        }
        if let denied = facts.deniedRevision, canAsk != .no, mayAskUnasked,
            let resource = input.catalog.resource(need.resource), denied < resource.revision
        {
            return unlessSkipped(.revisionRose, after: main.lastAct)
        }
        return Verdict(way: .fallBack, reason: reason, settingsWouldHelp: settingsWouldHelp)
    }

    /// A system that binds a grant to the signature refuses the app after an update, while its
    /// Settings still show the switch on; where it was not asked, the grant is not relied on.
    private var isForAnotherBuild: Bool {
        guard let then = facts.grantIdentity, let now = input.signingIdentity, then != now,
            isDeviceScoped
        else { return false }
        switch facts.live {
        case .reported(let live, _)?: return live == .denied && main.isConsented
        // The system's refusal may have been recorded at an earlier entry.
        case .unqueryable?, nil:
            return main.status.isGranting
                || main.status == .denied && !main.isByPerson && main.isConsented
        default: return false
        }
    }

    /// A consent that ran out or whose meaning changed is asked for anew, even if the system still
    /// says granted.
    private func renewed() -> Verdict? {
        for status in [facts.person, facts.device] {
            guard let status, status.isExpired || status.isOutdated else { continue }
            let reason: Decision.Reason = status.isExpired ? .expired : .outdated
            return unlessForbidden {
                unlessSkipped(reason, after: status.lastAct)
            }
        }
        return nil
    }

    private func granted() -> Verdict? {
        if grantsEnough { return Verdict(way: .proceed, reason: .granted) }
        if facts.live == .unqueryable, status == .notDetermined, main.wasAsked {
            return Verdict(way: .proceed, reason: .unqueryable)
        }
        guard status.isGranting else { return nil }
        let less = Verdict(
            way: .proceedReduced(extent), reason: .grantedLess, settingsWouldHelp: isDeviceScoped)
        if input.retry {
            if mayAsk, canAsk != .no { return asking(.grantedLess, after: nil) }
            return isDeviceScoped
                ? Verdict(way: .offerSettings, reason: .grantedLess, settingsWouldHelp: true) : less
        }
        guard canAsk == .yes, mayAskUnasked, !main.isPending, !mayNotAskYet else { return less }
        return asking(.grantedLess, after: nil)
    }

    private func undetermined() -> Verdict {
        unlessForbidden {
            if waitsForActivity { return Verdict(way: .fallBack, reason: .appNotActive) }
            if canAsk == .no {
                return Verdict(
                    way: .fallBack, reason: .notAskable, settingsWouldHelp: isDeviceScoped)
            }
            return unlessSkipped(.undetermined, after: nil)
        }
    }

    /// Asked while the app is inactive, iOS answers no by itself and shows nothing.
    private var waitsForActivity: Bool {
        input.isAppActive == false && input.catalog.platform == .ios
            && input.catalog.resource(need.resource)?.isTracking ?? false
    }

    // MARK: Asking

    private var mayAskUnasked: Bool {
        input.feature.asks == .use || input.feature.asks == .launch
    }

    private var mayAsk: Bool {
        mayAskUnasked || input.feature.asks == .request && input.retry
    }

    private func unlessForbidden(_ ask: () -> Verdict) -> Verdict {
        mayAsk ? ask() : Verdict(way: .fallBack, reason: .mustNotAsk)
    }

    private func unlessSkipped(_ reason: Decision.Reason, after: Timestamp?) -> Verdict {
        if mayNotAskYet { return Verdict(way: .fallBack, reason: .primerSkipped) }
        return asking(reason, after: after)
    }

    /// Whether the primer was skipped and neither a wish nor the time allows it again.
    private var mayNotAskYet: Bool {
        guard !input.retry, let skipped = facts.primer.skipped else { return false }
        let primer = input.catalog.primer(forResource: need.resource)
        guard let wait = primer?.askAgainAfter else { return true }
        return input.now < wait.end(from: skipped.milliseconds)
    }

    /// The primer, unless its current version was continued on this install, and since `after`.
    private func asking(_ reason: Decision.Reason, after: Timestamp?) -> Verdict {
        guard let primer = input.catalog.primer(forResource: need.resource) else {
            return Verdict(way: .askSystem, reason: reason)
        }
        let isCurrent = input.catalog.units(forPrimer: primer.id).contains { unit in
            facts.primer.continuedUnits.contains(unit.digest)
        }
        let isSince = after.map { after in facts.primer.lastContinued.map { $0 > after } ?? false }
        return Verdict(
            way: isCurrent && isSince ?? true ? .askSystem : .showPrimer, reason: reason)
    }
}
