#if GTK
import CGTK
import CKFGTK
import Kingfisher
import Synchronization

/// Whether GIO takes the network for metered, for any thread to read.
///
/// GIO hears of changes in GLib's main loop; what is read here is a copy of its last word.
nonisolated final class MeteredNetwork: Sendable {
    /// The answer of GIO's default monitor; the first use makes it the one of all downloaders.
    ///
    /// On the main actor, because the loop that serves the monitor is chosen by who asks for it
    /// first.
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

    /// Follows a monitor for as long as that one lives.
    ///
    /// - Parameters:
    ///   - monitor: A GNetworkMonitor.
    ///   - read: What it says now; called at once and in the monitor's loop.
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

    /// Whether the network was metered when the monitor last spoke.
    var isMetered: Bool { lastWord.load(ordering: .relaxed) }

    fileprivate func refresh() { lastWord.store(read(), ordering: .relaxed) }
}

/// Not by ``connect(_:_:after:_:)``: whoever turns the loop, nothing here needs the main actor.
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
