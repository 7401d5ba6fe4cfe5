import Synchronization

extension Mutex where Value: Sendable {
    /// Changes the value, and releases what it held before outside the lock: the `deinit` of a
    /// user's object may ask for the same lock.
    func change(_ body: (inout Value) -> Void) {
        let old = withLock { value in
            let old = value
            body(&value)
            return old
        }
        withExtendedLifetime(old) {}
    }
}
