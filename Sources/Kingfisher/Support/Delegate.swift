import Synchronization

// `@unchecked`: the closures come from callers and need not be `Sendable`; the slot itself is
// guarded by a mutex.
/// A slot for one closure, synchronous or asynchronous, that holds its target weakly.
///
/// The two kinds are separate: `call(_:)` never runs the asynchronous closure and
/// `callAsync(_:)` never the synchronous one.
///
/// ```swift
/// let onChange = Delegate<Int, Void>()
/// onChange.delegate(on: self) { owner, value in owner.show(value) }
/// onChange.call(3)
/// ```
public class Delegate<Input, Output>: @unchecked Sendable {
    private struct Slots: @unchecked Sendable {
        var sync: ((Input) -> Output?)?
        var async: ((Input) async -> Output?)?
    }

    private let slots = Mutex(Slots())

    /// Makes an empty slot.
    public init() {}

    /// Sets the synchronous closure.
    ///
    /// - Parameters:
    ///   - target: Held weakly, and passed to the closure. Once it is deallocated, calls return
    ///     nil.
    ///   - block: The closure; nil removes the current one.
    public func delegate<T: AnyObject>(on target: T, block: ((T, Input) -> Output)?) {
        let closure = block.map { block in
            { [weak target] (input: Input) -> Output? in
                guard let target else { return nil }
                return block(target, input)
            }
        }
        let slots = Slots(sync: closure)
        self.slots.change { $0.sync = slots.sync }
    }

    /// Sets the asynchronous closure.
    ///
    /// - Parameters:
    ///   - target: Held weakly, and passed to the closure. Once it is deallocated, calls return
    ///     nil.
    ///   - block: The closure; nil removes the current one.
    public func delegate<T: AnyObject>(on target: T, block: ((T, Input) async -> Output)?) {
        let closure = block.map { block in
            { [weak target] (input: Input) async -> Output? in
                guard let target else { return nil }
                return await block(target, input)
            }
        }
        let slots = Slots(async: closure)
        self.slots.change { $0.async = slots.async }
    }

    /// Runs the synchronous closure; nil if it is not set or its target is deallocated.
    public func call(_ input: Input) -> Output? {
        let slots = slots.withLock { $0 }
        return slots.sync?(input)
    }

    /// Runs the synchronous closure; nil if it is not set or its target is deallocated.
    public func callAsFunction(_ input: Input) -> Output? {
        call(input)
    }

    /// Runs the asynchronous closure; nil if it is not set or its target is deallocated.
    public func callAsync(_ input: Input) async -> Output? {
        let slots = slots.withLock { $0 }
        return await slots.async?(input)
    }

    /// Whether either closure is set.
    public var isSet: Bool {
        slots.withLock { $0.sync != nil || $0.async != nil }
    }
}

extension Delegate where Input == Void {
    /// Runs the synchronous closure; nil if it is not set or its target is deallocated.
    public func call() -> Output? {
        call(())
    }

    /// Runs the synchronous closure; nil if it is not set or its target is deallocated.
    public func callAsFunction() -> Output? {
        call(())
    }
}

extension Delegate where Input == Void, Output: OptionalProtocol {
    /// Runs the synchronous closure and flattens its optional result.
    public func call() -> Output {
        call(())
    }

    /// Runs the synchronous closure and flattens its optional result.
    public func callAsFunction() -> Output {
        call(())
    }
}

extension Delegate where Output: OptionalProtocol {
    /// Runs the synchronous closure and flattens its optional result.
    public func call(_ input: Input) -> Output {
        let result: Output? = call(input)
        return result ?? Output._createNil
    }

    /// Runs the synchronous closure and flattens its optional result.
    public func callAsFunction(_ input: Input) -> Output {
        call(input)
    }
}

/// Lets ``Delegate`` flatten an optional result.
public protocol OptionalProtocol {
    /// The nil value.
    static var _createNil: Self { get }
}

extension Optional: OptionalProtocol {
    /// Nil.
    public static var _createNil: Wrapped? { nil }
}

/// A weak reference to an object of the caller that need not be `Sendable`.
///
/// `@unchecked`: the object is only passed to code that calls its protocol's methods, which the
/// protocol allows on any thread.
struct WeakReference: @unchecked Sendable {
    private(set) weak var object: AnyObject?

    init(_ object: AnyObject? = nil) {
        self.object = object
    }
}
