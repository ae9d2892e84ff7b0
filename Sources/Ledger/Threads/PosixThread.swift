#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// A thread of the system's, for loops and calls that wait: the cooperative pool must not.
package struct PosixThread: Sendable {
    private final class Box: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    #if canImport(Glibc)
    private let handle: pthread_t
    #else
    /// A thread's handle is a name that pthread_join takes from any thread.
    private nonisolated(unsafe) let handle: pthread_t
    #endif

    /// Starts a thread, which must be joined or detached; nil when the system has none to give.
    package init?(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Box(body))
        #if canImport(Glibc)
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
                return nil
            }, box.toOpaque())
        let started: pthread_t? = thread
        #else
        var thread: pthread_t?
        let failure = pthread_create(
            &thread, nil,
            { argument in
                Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, box.toOpaque())
        let started = thread
        #endif
        guard failure == 0, let started else {
            box.release()
            return nil
        }
        handle = started
    }

    package func join() { pthread_join(handle, nil) }

    /// Leaves the thread to end by itself.
    package func detach() { pthread_detach(handle) }
}
