#if GTK
import CKFGTKHeaders
import CKFGTK
import Kingfisher
import Synchronization

/// Whether GIO considers the network metered; readable on any thread.
///
/// GIO is notified of changes in GLib's main loop; this is a copy of the latest value.
nonisolated final class MeteredNetwork: Sendable {
    /// The state of GIO's default monitor; the first use makes it the source for all downloaders.
    ///
    /// On the main actor, because the first caller determines which loop serves the monitor.
    @MainActor
    static let system: MeteredNetwork? = {
        guard let pointer = g_network_monitor_get_default() else { return nil }
        let monitor = GObjectReference(retaining: UnsafeMutableRawPointer(pointer))
        let network = MeteredNetwork(monitor) {
            g_network_monitor_get_network_metered(OpaquePointer(monitor.address)) != 0
        }
        NetworkMeter.system.ask { network.isMetered }
        return network
    }()

    private let lastWord: Atomic<Bool>
    private let read: @Sendable () -> Bool

    /// Follows a monitor during the lifetime of the monitor.
    ///
    /// - Parameters:
    ///   - monitor: A GNetworkMonitor.
    ///   - read: Returns the current state; called now, and in the monitor's loop after changes.
    init(_ monitor: GObjectReference, read: @escaping @Sendable () -> Bool) {
        self.read = read
        lastWord = Atomic(read())
        kf_connect(
            monitor.address,
            "notify::network-metered",
            false,
            MeteredNetworkCallback.changed,
            Unmanaged.passRetained(self).toOpaque(),
            MeteredNetworkCallback.release
        )
    }

    /// Whether the network was metered at the latest notification.
    var isMetered: Bool { lastWord.load(ordering: .relaxed) }

    fileprivate func refresh() { lastWord.store(read(), ordering: .relaxed) }
}

/// Does not use ``connect(_:_:after:_:)``, because the callback needs no main actor on any loop.
nonisolated private enum MeteredNetworkCallback {
    static var changed: KFSignalHandler {
        { context, _ in
            guard let context else { return }
            Unmanaged<MeteredNetwork>.fromOpaque(context).takeUnretainedValue().refresh()
        }
    }

    static var release: KFSignalRelease {
        { context in
            if let context { Unmanaged<MeteredNetwork>.fromOpaque(context).release() }
        }
    }
}
#endif
