/// What a file cannot say about itself.
package struct ImportOptions: Sendable {
    /// The two lists of permissions that macOS keeps apart.
    package enum TCCScope: String, Sendable, CaseIterable {
        case user, system
    }

    /// The person whose device the file is from.
    package var subject = "me"
    /// The device the file is from.
    package var device: String
    /// The installation of ``application`` on that device.
    package var install: String?
    /// The one application whose installation is known to the ledger by another name.
    package var application: String?
    /// Which of the two lists a TCC.db is; a CSV of it says so itself.
    package var tccScope = TCCScope.user
    /// Take nothing unless every record can be taken.
    package var isStrict = false
    /// Say what would be done, and do nothing.
    package var isDryRun = false
    /// The time now, Unix milliseconds: what lies after it is doubtful.
    package var now: Int64

    package init(device: String, now: Int64 = SystemClock.milliseconds()) {
        self.device = device
        self.now = now
    }

    func validate() throws(LedgerError) {
        try Identifier.validate(subject, field: "subject")
        try Identifier.validate(device, field: "device")
        if let install { try Identifier.validate(install, field: "install") }
        if let application { try Identifier.validate(application, field: "application") }
        if install != nil && application == nil {
            throw LedgerError(
                .invalid,
                "An install belongs to one application; name the application too, or leave both out."
            )
        }
    }

    /// Where the permissions of a client are kept.
    ///
    /// Without an installation id of its own, a client is its own installation: so two clients
    /// never answer for each other, and the key can be told from the file again.
    func place(ofClient client: String, in list: String? = nil) -> Place {
        let own = client == application ? install : nil
        return Place(device: device, install: (list.map { $0 + ":" } ?? "") + (own ?? client))
    }
}
