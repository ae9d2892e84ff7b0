#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension SyncError {
    /// Why a file of the folder could not be read.
    init(reading failure: FileFailure) {
        let isMissing = failure.code == ENOENT || failure.code == ENOTDIR
        self.init(
            isMissing ? .notFound : .unreadable,
            isMissing
                ? "It is not there, or went away." : "The system does not let it be read.",
            cause: failure.words)
    }

    /// Why the folder could not be written.
    init(writing failure: FileFailure) {
        switch failure.code {
        case ENOSPC, EDQUOT:
            self.init(
                .noSpace, "The folder is full; free some space, then sync again.",
                cause: failure.words)
        case EROFS, EACCES, EPERM:
            self.init(
                .notPossible,
                "The folder cannot be written here; what others published was still read.",
                cause: failure.words)
        default:
            self.init(
                .io, "The folder could not be written; nothing of this file counts as published.",
                cause: failure.words)
        }
    }
}

extension FileFailure {
    /// The medium gave back something else than was written.
    static var readBackDiffers: FileFailure { FileFailure("read back", EIO) }
    /// Writing goes on without an error and without a byte.
    static var writesNothing: FileFailure { FileFailure("write", EIO) }

    var words: String { "\(call): \(PosixCall.message(code))" }
}
