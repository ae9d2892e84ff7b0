internal import Ledger

#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension FolderFileSystem {
    /// Makes a file that is either whole and durable under its name, or does not count.
    ///
    /// Create, write, fsync, close, rename, fsync directory, read back. Whatever fails, what this
    /// call made is taken away again as far as that works.
    func place(
        _ file: [UInt8], at final: String, by temporary: String, in directory: String
    ) throws(FileFailure) -> FileContent {
        let descriptor = try create(temporary)
        do throws(FileFailure) {
            do throws(FileFailure) {
                try writeAll(file, to: descriptor)
                try synchronize(descriptor)
            } catch {
                try? close(descriptor)
                throw error
            }
            try close(descriptor)
            try rename(temporary, to: final)
        } catch {
            try? remove(temporary)
            throw error
        }
        do throws(FileFailure) {
            try synchronizeNames(in: directory)
            let content = try read(final, upTo: file.count + 1)
            guard content.bytes == file else { throw FileFailure.readBackDiffers }
            return content
        } catch {
            try? remove(final)
            throw error
        }
    }

    /// Waits until the names in a directory are on the medium, where the file system knows how.
    ///
    /// FAT, exFAT and some network file systems do not; the trailer still decides whether a file is
    /// whole, and what is missing is published anew. Any other failure is one.
    func synchronizeNames(in directory: String) throws(FileFailure) {
        do throws(FileFailure) { try synchronizeDirectory(directory) } catch {
            guard error.code == EINVAL || error.code == ENOTSUP || error.code == ENOSYS else {
                throw error
            }
        }
    }

    private func writeAll(_ file: [UInt8], to descriptor: Int32) throws(FileFailure) {
        var rest = file[...]
        var fruitless = 0
        while !rest.isEmpty {
            let count = try write(rest, to: descriptor)
            rest = rest.dropFirst(count)
            fruitless = count == 0 ? fruitless + 1 : 0
            guard fruitless < 100 else { throw FileFailure.writesNothing }
        }
    }
}
