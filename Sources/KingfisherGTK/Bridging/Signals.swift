#if GTK
import CKFGTK

/// Retains a closure while a signal is connected.
private final class SignalClosure {
    let body: (_ argument: UInt) -> Void
    init(_ body: @escaping (UInt) -> Void) { self.body = body }
}

/// Calls a closure when an object emits a signal, during the lifetime of the object.
///
/// For signals without a return value; their arguments are not passed on.
///
/// - Parameters:
///   - object: The GObject.
///   - signal: The name of the signal.
///   - after: Whether to run after the default handler.
///   - body: The closure.
/// - Returns: The handler ID, for disconnecting.
@discardableResult
func connect(
    _ object: UnsafeMutableRawPointer,
    _ signal: String,
    after: Bool = false,
    _ body: @escaping () -> Void
) -> UInt {
    connectPassingArgument(object, signal, after: after) { _ in body() }
}

/// As above, for signals whose first argument is an object, which is passed to the closure.
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

/// Calls a closure when one of some keys is pressed while a widget has the focus.
///
/// - Parameters:
///   - widget: The widget; the closure is released with it.
///   - trigger: Keys in the syntax of `gtk_shortcut_trigger_parse_string`.
///   - body: The closure.
func onKeys(of widget: UnsafeMutableRawPointer, _ trigger: String, _ body: @escaping () -> Void) {
    kf_widget_add_keys(
        widget,
        trigger,
        SignalTrampoline.handler,
        Unmanaged.passRetained(SignalClosure { _ in body() }).toOpaque(),
        SignalTrampoline.release
    )
}

func connectPassingArgument(
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
    // The argument is converted to a number, because a pointer cannot cross to the main actor.
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
