#if GTK
import CKFGTKHeaders

/// Closures as the handlers of signals.
///
/// ```swift
/// GtkSignal.connect(button, "clicked") { reload() }
/// GtkSignal.connect(list, "activate") { position in show(Int(position)) }
/// ```
///
/// For signals without a return value. The closure is called on the main actor, and released with the
/// object.
public enum GtkSignal {
    /// Calls a closure when an object emits a signal.
    ///
    /// - Parameters:
    ///   - object: A GObject, as a pointer of any type.
    ///   - signal: The name of the signal, such as `notify::scale-factor`.
    ///   - after: Whether the closure runs after the default handler.
    ///   - body: The closure.
    /// - Returns: The handler ID for ``disconnect(_:from:)``.
    /// - Precondition: The object is not nil, and has such a signal.
    @discardableResult
    public static func connect(
        _ object: some GtkObjectPointer,
        _ signal: String,
        after: Bool = false,
        _ body: @escaping () -> Void
    ) -> UInt {
        KingfisherGTK.connect(address(of: object), signal, after: after, body)
    }

    /// Calls a closure with the first argument of a signal after the object: a number, or the address
    /// of an object.
    ///
    /// - Parameters:
    ///   - object: A GObject, as a pointer of any type.
    ///   - signal: The name of a signal with an argument.
    ///   - after: Whether the closure runs after the default handler.
    ///   - body: Receives the argument. Of a 32-bit number only the lower half is valid:
    ///     `UInt32(truncatingIfNeeded:)`.
    /// - Returns: The handler ID for ``disconnect(_:from:)``.
    /// - Precondition: The object is not nil, and has such a signal.
    @discardableResult
    public static func connect(
        _ object: some GtkObjectPointer,
        _ signal: String,
        after: Bool = false,
        _ body: @escaping (_ argument: UInt) -> Void
    ) -> UInt {
        connectPassingArgument(address(of: object), signal, after: after, body)
    }

    /// Disconnects a handler, whose closure is released.
    public static func disconnect(_ handler: UInt, from object: some GtkObjectPointer) {
        g_signal_handler_disconnect(address(of: object), gulong(handler))
    }

    private static func address(of object: some GtkObjectPointer) -> UnsafeMutableRawPointer {
        guard let address = object.gtkAddress else {
            preconditionFailure("a signal cannot be connected to a nil pointer")
        }
        return address
    }
}
#endif
