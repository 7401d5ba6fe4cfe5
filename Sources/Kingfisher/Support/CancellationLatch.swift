import Synchronization

/// Remembers that something was cancelled, and tells whoever asked to know, once.
///
/// A cancel that comes before the work is linked is kept, so that it is never lost.
final class CancellationLatch: Sendable {
    private struct State: Sendable {
        var isCancelled = false
        var handlers: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    init() {}

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Latches the cancel and runs the handlers that wait for it.
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

    /// Runs `handler` when the cancel comes, or at once when it has come.
    func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let runsNow = state.withLock { state in
            if !state.isCancelled { state.handlers.append(handler) }
            return state.isCancelled
        }
        if runsNow { handler() }
    }

    /// Forgets the handlers, because what they would stop has ended.
    func finish() {
        state.withLock { $0.handlers = [] }
    }
}
