#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Folders that a sync program copies file by file: a database in one is damaged or forked sooner
/// or later.
enum SyncedFolder {
    private static let names: [(prefix: String, program: String)] = [
        ("Dropbox", "Dropbox"), ("OneDrive", "OneDrive"), ("Nextcloud", "Nextcloud"),
        ("ownCloud", "ownCloud"), ("iCloud Drive", "iCloud"), ("iCloudDrive", "iCloud"),
        ("Mobile Documents", "iCloud"), ("CloudStorage", "a cloud service"),
        ("Google Drive", "Google Drive"), ("GoogleDrive", "Google Drive"), ("MEGAsync", "MEGA"),
        ("pCloudDrive", "pCloud"), ("Syncthing", "Syncthing"),
    ]

    /// Files that stand in the copied folder itself; `.dropbox` is none, since it is also the name
    /// of the program's settings in the home directory.
    private static let marks: [(file: String, program: String)] = [
        (".stfolder", "Syncthing"), (".dropbox.cache", "Dropbox"),
        (".nextcloudsync.log", "Nextcloud"), (".owncloudsync.log", "ownCloud"),
    ]

    /// The program that copies the folder a path lies in; nil where no sign of one is seen.
    static func find(_ path: String) -> String? {
        var folder = absolute(path)
        while folder.count > 1 {
            let name = folder.split(separator: "/").last ?? ""
            if let known = names.first(where: { matches(String(name), $0.prefix) }) {
                return known.program
            }
            for mark in marks where access("\(folder)/\(mark.file)", F_OK) == 0 {
                return mark.program
            }
            guard let slash = folder.lastIndex(of: "/") else { break }
            folder = String(folder[..<slash])
        }
        return nil
    }

    /// `Dropbox`, `Dropbox (Work)` and `OneDrive - Example` are the program's; `Dropboxes` is not.
    private static func matches(_ name: String, _ prefix: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        return name == prefix || [" ", "-"].contains(name.dropFirst(prefix.count).first)
    }

    /// Whether one of two paths lies in the other.
    static func overlap(_ one: String, _ other: String) -> Bool {
        let (one, other) = (absolute(one) + "/", absolute(other) + "/")
        return one.hasPrefix(other) || other.hasPrefix(one)
    }

    /// A path that holds wherever it is read from.
    static func absolute(_ path: String) -> String {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        if path.hasPrefix("/") { return path }
        guard let here = getcwd(nil, 0) else { return path }
        defer { free(here) }
        return "\(String(cString: here))/\(path)"
    }
}
