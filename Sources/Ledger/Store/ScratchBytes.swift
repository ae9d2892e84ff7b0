/// Bytes that are put together again and again in one place; not shared between threads.
final class ScratchBytes {
    private var buffer: UnsafeMutableRawPointer
    private var capacity = 1024
    private var count = 0

    init() { buffer = .allocate(byteCount: capacity, alignment: 16) }

    deinit { buffer.deallocate() }

    /// What was appended; valid until the next change.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: buffer, count: count) }

    func removeAll() { count = 0 }

    func append(_ bytes: [UInt8]) {
        if count + bytes.count > capacity {
            capacity = (count + bytes.count) * 2
            let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
            larger.copyMemory(from: buffer, byteCount: count)
            buffer.deallocate()
            buffer = larger
        }
        bytes.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            (buffer + count).copyMemory(from: base, byteCount: source.count)
        }
        count += bytes.count
    }
}
