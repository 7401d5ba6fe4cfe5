public import Dispatch
public import Foundation

/// Where to run a piece of work that was handed in; the same rule as for callbacks.
public typealias ExecutionQueue = CallbackQueue

/// Where to run a callback.
public enum CallbackQueue: Sendable {
    /// Always asynchronously on the main queue.
    case mainAsync
    /// Directly when already on the main queue or thread, otherwise asynchronously on the main queue.
    case mainCurrentOrAsync
    /// Directly, wherever the caller is.
    case untouch
    /// Asynchronously on a dispatch queue, also when already on it.
    case dispatch(DispatchQueue)
    /// As an operation of a queue.
    case operationQueue(any CallbackOperationQueue)

    /// Runs a block by this rule.
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

/// What an operation queue must offer to receive callbacks.
public protocol CallbackOperationQueue: AnyObject, Sendable {
    /// The dispatch queue behind it, if there is one.
    var underlyingQueue: DispatchQueue? { get }

    /// Enqueues a block.
    func addOperation(_ block: @Sendable @escaping () -> Void)
}

extension OperationQueue: CallbackOperationQueue {}
