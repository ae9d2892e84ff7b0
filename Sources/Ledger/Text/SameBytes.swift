#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

extension UnsafeRawBufferPointer {
    /// Compares many bytes at a time.
    package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let left = baseAddress, let right = other.baseAddress else { return count == 0 }
        return memcmp(left, right, count) == 0
    }
}
