import Synchronization

/// A gate that is opened once; any number of tasks can wait for it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    init() {}

    /// Opens the gate: current and later waiters continue.
    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when the gate is open.
    func wait() async {
        if state.withLock({ $0.isOpen }) { return }
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

extension Gate {
    /// Returns when the gate is open, or opens it when the task is cancelled: for a gate that has one
    /// waiter.
    func waitUntilCancelled() async {
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            open()
        }
    }
}

/// Records a cancellation and notifies its handlers once.
///
/// A cancellation before a handler is added is not lost: the handler then runs immediately.
final class CancellationLatch: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    init() {}

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Records the cancellation and runs the handlers.
    ///
    /// - Returns: Whether this call was the first.
    @discardableResult
    func cancel() -> Bool {
        let handlers: [@Sendable () -> Void]? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.isCancelled = true
            defer { state.handlers = [] }
            return state.handlers
        }
        guard let handlers else { return false }
        for handler in handlers { handler() }
        return true
    }

    /// Runs `handler` on cancellation; immediately if it has already happened.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let runsNow = state.withLock { state in
            if !state.isCancelled { state.handlers.append(handler) }
            return state.isCancelled
        }
        if runsNow { handler() }
    }

    /// Removes the handlers, because the work they would stop has ended.
    func finish() {
        state.change { $0.handlers = [] }
    }
}

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
