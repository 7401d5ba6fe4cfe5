/// Who tells when the system runs short of memory, so that tests can say so.
struct MemoryPressureSource: Sendable {
    /// Calls a function each time when memory is short, until the returned watch is released.
    ///
    /// The calls come one after the other, at most one in a second, for as long as it is short.
    let watch: @Sendable (@escaping @Sendable () -> Void) -> MemoryPressureWatch

    /// The kernel's, where it offers one; otherwise nobody calls ever.
    ///
    /// One thread waits for all caches of the process.
    static let system = MemoryPressureSource { work in PressureStall.forProcess.add(work) }
}

/// A wish to be told of memory pressure, which ends with its last reference.
final class MemoryPressureWatch: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) { self.stop = stop }

    deinit { stop() }
}
