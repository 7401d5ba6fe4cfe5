import Synchronization

/// A completion handler that runs once; later calls are ignored.
final class OnceCompletion<Value>: Sendable {
    private let closure: Mutex<(@Sendable (Value) -> Void)?>

    init(_ closure: @escaping @Sendable (Value) -> Void) {
        self.closure = Mutex(closure)
    }

    /// Calls the handler unless it has been called before.
    func callAsFunction(_ value: Value) {
        let closure = closure.withLock { closure in
            defer { closure = nil }
            return closure
        }
        closure?(value)
    }
}
