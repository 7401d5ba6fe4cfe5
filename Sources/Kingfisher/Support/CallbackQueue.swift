public import Dispatch
public import Foundation

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
    public func execute(_ block: @Sendable @escaping () -> Void) {
        switch self {
        case .mainAsync:
            DispatchQueue.main.async(execute: block)
        case .mainCurrentOrAsync:
            if MainQueue.isCurrent { block() } else { DispatchQueue.main.async(execute: block) }
        case .untouch:
            block()
        case .dispatch(let queue):
            queue.async(execute: block)
        case .operationQueue(let queue):
            queue.addOperation(block)
        }
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
