#if GTK
import CKFGTK

/// Keeps a closure for as long as a signal is connected.
private final class SignalClosure {
    let body: (_ argument: UInt) -> Void
    init(_ body: @escaping (UInt) -> Void) { self.body = body }
}

/// Calls a closure when an object emits a signal, for as long as the object lives.
///
/// For any signal that returns nothing; its arguments are not passed on.
///
/// - Returns: The handler, to disconnect it with.
@discardableResult
func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    after: Bool = false,
    _ body: @escaping () -> Void
) -> UInt {
    connectPassingArgument(object, signal, after: after) { _ in body() }
}

/// The same for signals whose first argument is an object, which is passed on.
@discardableResult
func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    _ body: @escaping (UnsafeMutableRawPointer) -> Void
) -> UInt {
    connectPassingArgument(object, signal, after: false) { argument in
        if let argument = UnsafeMutableRawPointer(bitPattern: argument) { body(argument) }
    }
}

private func connectPassingArgument(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    after: Bool,
    _ body: @escaping (UInt) -> Void
) -> UInt {
    UInt(
        kf_connect(
            object,
            signal,
            after,
            SignalTrampoline.handler,
            Unmanaged.passRetained(SignalClosure(body)).toOpaque(),
            SignalTrampoline.release
        )
    )
}

/// The C side of ``connect(_:_:after:_:)``.
nonisolated private enum SignalTrampoline {
    // As a number the argument can cross to the main actor, which a pointer cannot.
    static var handler: KFSignalHandler {
        { context, argument in
            guard let context else { return }
            let closure = Unmanaged<SignalClosure>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated { closure.body(argument) }
        }
    }

    static var release: KFSignalRelease {
        { context in
            if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
        }
    }
}
#endif
