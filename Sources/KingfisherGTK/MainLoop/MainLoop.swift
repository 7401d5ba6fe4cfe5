#if GTK
import CKFGTK

/// Lets Swift's main actor run inside GLib's main loop.
///
/// Without it nothing that waits for the main actor or for `DispatchQueue.main` ever runs under
/// `g_application_run`. With it, `@MainActor` tasks, `Task.sleep` and dispatch's main queue all
/// work: GLib watches the descriptor of libdispatch's main queue.
///
/// The program's `main` must be synchronous: an `async` main moves the main queue to another thread
/// at its first suspension. A block of the main queue that iterates GLib itself does not let other
/// blocks run meanwhile.
public enum MainLoop {
    /// What became of an attempt to attach.
    public enum Attachment: Sendable {
        /// From now on the main actor runs in GLib's loop.
        case attached
        /// It did before.
        case alreadyAttached
        /// This libdispatch gives its main queue to nobody.
        case unavailable
    }

    /// Attaches the main actor to GLib's default main context; further calls do nothing.
    ///
    /// Every view of this module does it by itself, so a program that has one need not. From then
    /// on GIO's `GNetworkMonitor` says for loads with `.lowDataMode` whether the network is metered,
    /// unless the downloader's `isNetworkConstrained` is set.
    @discardableResult
    public static func attach() -> Attachment {
        _ = MeteredNetwork.system
        return switch kf_main_loop_attach() {
        case KF_MAIN_LOOP_ATTACHED: .attached
        case KF_MAIN_LOOP_ALREADY_ATTACHED: .alreadyAttached
        default: .unavailable
        }
    }
}
#endif
