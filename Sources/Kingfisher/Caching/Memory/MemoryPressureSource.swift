/// Reports memory pressure; tests replace it.
struct MemoryPressureSource: Sendable {
    /// Calls a function whenever memory is short, until the returned watch is released.
    ///
    /// While memory is short, calls are made one after another, at most once per second.
    let watch: @Sendable (@escaping @Sendable () -> Void) -> MemoryPressureWatch

    /// The kernel's reports if available; otherwise it never calls.
    ///
    /// One thread waits on behalf of all caches of the process.
    static let system = MemoryPressureSource { work in PressureStall.forProcess.add(work) }
}

/// A registration for memory pressure; it ends when its last reference is released.
final class MemoryPressureWatch: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }
}
