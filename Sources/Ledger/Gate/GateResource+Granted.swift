extension GateResource {
    /// Whether nothing stands against using the resource: the case of nearly every entry, told
    /// without copying anything.
    ///
    /// True only where the rules come to the same; when in doubt false, and the rules decide.
    func isPlainlyGranted(_ need: Extent, identity: String?) -> Bool {
        guard let device else { return isPlainlyGrantedByForm(need) }
        guard device.isPlainGrant(need), isLiveGrant(need, identity: identity) else { return false }
        guard let person else { return true }
        return person.status >= .notDetermined && !person.isExpired && !person.isOutdated
    }

    private func isPlainlyGrantedByForm(_ need: Extent) -> Bool {
        guard let person, live == nil else { return false }
        return person.isPlainGrant(need)
    }

    private func isLiveGrant(_ need: Extent, identity: String?) -> Bool {
        switch live {
        case .reported(let status, let extent)?:
            status.isGranting && (need == .full || status != .limited && extent.covers(need))
        // Where the system was not asked, the grant must be for the build that runs.
        case nil: grantIdentity == nil || identity == nil || grantIdentity == identity
        default: false
        }
    }
}

extension GateStatus {
    fileprivate func isPlainGrant(_ need: Extent) -> Bool {
        status.isGranting && !isExpired && !isOutdated
            && (need == .full || status != .limited && extent.covers(need))
    }
}
