/// What the columns of macOS's permission store mean in our words.
///
/// The meanings are those of Apple's EndpointSecurity headers and of published tables of the
/// store; the store says nothing about itself, so who decided is kept as its claim.
enum TCCMapping {
    /// 2012-07-25, when OS X 10.8 brought the store.
    static let earliest: Int64 = 1_343_174_400_000

    private static let resources = [
        "kTCCServiceAccessibility": "accessibility",
        "kTCCServiceAddressBook": "contacts",
        "kTCCServiceAppleEvents": "apple-events",
        "kTCCServiceBluetoothAlways": "bluetooth",
        "kTCCServiceCalendar": "calendars",
        "kTCCServiceCamera": "camera",
        "kTCCServiceFaceID": "face-id",
        "kTCCServiceFocusStatus": "focus-status",
        "kTCCServiceListenEvent": "input-monitoring",
        "kTCCServiceMediaLibrary": "media-library",
        "kTCCServiceMicrophone": "microphone",
        "kTCCServiceMotion": "motion",
        "kTCCServicePhotos": "photos",
        "kTCCServicePhotosAdd": "photos-add",
        "kTCCServiceReminders": "reminders",
        "kTCCServiceScreenCapture": "screen-recording",
        "kTCCServiceSiri": "siri",
        "kTCCServiceSpeechRecognition": "speech-recognition",
        "kTCCServiceSystemPolicyAllFiles": "full-disk-access",
        "kTCCServiceSystemPolicyDesktopFolder": "desktop-folder",
        "kTCCServiceSystemPolicyDocumentsFolder": "documents-folder",
        "kTCCServiceSystemPolicyDownloadsFolder": "downloads-folder",
        "kTCCServiceUserTracking": "tracking",
        "kTCCServiceWillow": "home",
    ]

    /// The resource a service stands for; one without a name of ours keeps its own.
    static func resource(_ service: String) -> String { resources[service] ?? "tcc:" + service }

    /// A status, and the part it is limited to.
    static func status(authValue: Int64, authority: Authority) -> (PermissionStatus, Extent?)? {
        switch authValue {
        // What a policy forbids is no denial by the person, and Settings cannot change it.
        case 0: (authority == .policy ? .restricted : .denied, nil)
        case 1: (.notDetermined, nil)
        case 2: (.authorized, nil)
        case 3: (.limited, Extent(selection: .selected))
        case 4: (.limited, nil)
        case 5: (.ephemeral, nil)
        default: nil
        }
    }

    /// Who decided, as the store claims.
    static func authority(authReason: Int64) -> Authority {
        switch authReason {
        case 2, 3, 13: .person
        case 4, 8, 9, 11: .system
        case 5, 6, 7, 12: .policy
        default: .unknown
        }
    }

    private static let reasons = [
        "none", "error", "user consent", "user set", "system set", "service policy", "MDM policy",
        "override policy", "missing usage string", "prompt timeout", "preflight unknown",
        "entitled", "app type policy", "prompt cancel",
    ]

    /// The store's reason in its own words, for the note.
    static func reason(_ authReason: Int64) -> String {
        let name =
            reasons.indices.contains(Int(clamping: authReason))
            ? " (\(reasons[Int(clamping: authReason)]))" : ""
        return "TCC reason \(authReason)\(name)"
    }
}
