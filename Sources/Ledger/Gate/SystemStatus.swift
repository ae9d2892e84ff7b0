/// What the running system says about one permission at this moment.
///
/// ```swift
/// func live(_ resource: Catalog.Resource) -> SystemStatus? {
///     switch resource.kind {
///     case "camera": .reported(.notDetermined)
///     case "location": .serviceOff("Location Services")
///     default: nil
///     }
/// }
/// ```
public enum SystemStatus: Sendable, Hashable {
    /// It reports a status and how far it reaches.
    ///
    /// Name the extent where the resource has several: `full` says nothing of it and leaves what
    /// is recorded.
    case reported(PermissionStatus, Extent = .full)
    /// There is no such thing on this device.
    case unsupported
    /// A switch for the whole device is off; its name as people find it in Settings.
    case serviceOff(String)
    /// The system does not tell, such as for the local network on iOS.
    case unqueryable
}
