public import Dispatch
public import Foundation
import Synchronization

/// The queue on which to run a block; another name for ``CallbackQueue``.
public typealias ExecutionQueue = CallbackQueue

/// The queue on which to call a closure.
public enum CallbackQueue: Sendable {
    /// Always asynchronously on the main queue.
    case mainAsync
    /// Immediately if already on the main queue or thread, otherwise asynchronously on the main
    /// queue.
    case mainCurrentOrAsync
    /// Immediately, on the calling thread.
    case untouch
    /// Asynchronously on a dispatch queue, even if already on it.
    case dispatch(DispatchQueue)
    /// As an operation of a queue.
    case operationQueue(any CallbackOperationQueue)

    /// The same queue, on which a block runs only after the current code if that is on the main
    /// queue.
    var afterCaller: CallbackQueue {
        if case .mainCurrentOrAsync = self { .mainAsync } else { self }
    }

    /// Runs a block on the queue.
    ///
    /// Blocks that run immediately inside each other take room on the stack, for example if each
    /// completion handler loads the next image from memory. The 33rd runs asynchronously instead,
    /// on the main queue if it was called there.
    public func execute(_ block: @Sendable @escaping () -> Void) {
        switch self {
        case .mainAsync:
            DispatchQueue.main.async(execute: block)
        case .mainCurrentOrAsync:
            if !MainQueue.isCurrent || !NestedCalls.run(block) {
                DispatchQueue.main.async(execute: block)
            }
        case .untouch:
            if !NestedCalls.run(block) {
                (MainQueue.isCurrent ? .main : DispatchQueue.global()).async(execute: block)
            }
        case .dispatch(let queue):
            queue.async(execute: block)
        case .operationQueue(let queue):
            queue.addOperation(block)
        }
    }
}

/// Bounds how many blocks run inside each other on a thread.
enum NestedCalls {
    // A level takes about 4 KiB of the stack without optimisation; musl's threads have 128 KiB.
    static let limit = 32

    /// The number of running blocks of each thread; nil if the process has no key left.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Runs a block, unless too many are running on this thread; returns whether it ran.
    static func run(_ block: () -> Void) -> Bool {
        guard let key else {
            block()
            return true
        }
        let depth = Int(bitPattern: pthread_getspecific(key))
        guard depth < limit else { return false }
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: depth + 1))
        defer { pthread_setspecific(key, UnsafeRawPointer(bitPattern: depth)) }
        block()
        return true
    }
}

/// The requirements on an operation queue that runs callbacks.
public protocol CallbackOperationQueue: AnyObject, Sendable {
    /// The underlying dispatch queue, if there is one.
    var underlyingQueue: DispatchQueue? { get }

    /// Enqueues a block.
    func addOperation(_ block: @Sendable @escaping () -> Void)
}

extension OperationQueue: CallbackOperationQueue {}

/// Detects whether the current code runs on the main queue.
///
/// `Thread.isMainThread` is not enough on Linux: under `dispatchMain()` and an async `@main` the
/// main queue runs on other threads. A key on the queue itself covers these cases, and the main
/// thread before any loop runs counts as main too.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool {
        DispatchQueue.getSpecific(key: key) == true || Thread.isMainThread
    }
}

/// A completion handler that runs once; later calls are ignored.
///
/// One that user code may release without a call has a value for that case, so that nothing waits
/// forever.
final class OnceCompletion<Value>: Sendable {
    private let closure: Mutex<(@Sendable (Value) -> Void)?>
    private let valueIfReleased: (@Sendable () -> Value)?

    init(
        ifReleased value: (@Sendable () -> Value)? = nil,
        _ closure: @escaping @Sendable (Value) -> Void
    ) {
        self.closure = Mutex(closure)
        valueIfReleased = value
    }

    deinit {
        guard let valueIfReleased, closure.withLock({ $0 != nil }) else { return }
        self(valueIfReleased())
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

extension OnceCompletion where Value: Sendable {
    /// Waits for a method whose completion is passed to user code, such as an override.
    ///
    /// - Parameters:
    ///   - value: The result if the completion is released without a call.
    ///   - start: Calls the method.
    /// - Returns: The value of the first call.
    static func result(
        ifReleased value: @autoclosure @escaping @Sendable () -> Value,
        of start: (_ done: @escaping @Sendable (Value) -> Void) -> Void
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let once = OnceCompletion(ifReleased: value) { continuation.resume(returning: $0) }
            start { once($0) }
        }
    }
}
