#if GTK
import CKFGTK

/// Runs Swift's main actor inside GLib's main loop.
///
/// Without it, work for the main actor or `DispatchQueue.main` never runs under
/// `g_application_run`. With it, `@MainActor` tasks, `Task.sleep` and dispatch's main queue all
/// work: GLib watches the descriptor of libdispatch's main queue.
///
/// The program's `main` must be synchronous: an `async` main moves the main queue to another thread
/// at its first suspension. While a block of the main queue iterates the GLib loop itself, no other
/// blocks run.
public enum MainLoop {
    /// The result of attaching.
    public enum Attachment: Sendable {
        /// The main actor now runs in GLib's loop.
        case attached
        /// It was attached before.
        case alreadyAttached
        /// This libdispatch does not expose its main queue.
        case unavailable
    }

    /// Whether a view, a list or the program has asked to attach the main actor.
    private(set) static var isRequested = false

    /// Attaches the main actor to GLib's default main context; later calls have no effect.
    ///
    /// The views and lists of this module call it, so a program with one of them need not. From then on GIO's
    /// `GNetworkMonitor` determines for loads with `.lowDataMode` whether the network is metered,
    /// unless the downloader's `isNetworkConstrained` is set.
    ///
    /// - Returns: Whether the main actor is attached.
    @discardableResult
    public static func attach() -> Attachment {
        isRequested = true
        _ = MeteredNetwork.system
        return switch kf_main_loop_attach() {
        case KF_MAIN_LOOP_ATTACHED: .attached
        case KF_MAIN_LOOP_ALREADY_ATTACHED: .alreadyAttached
        default: .unavailable
        }
    }
}
#endif
