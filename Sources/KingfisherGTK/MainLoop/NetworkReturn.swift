#if GTK
import CGTK

/// Something that wants to know when the network is there again.
protocol NetworkListener: AnyObject {
    /// The network is available, and was not before.
    func networkReturned()
}

/// Reports to its listeners when the network returns, by GIO's monitor.
final class NetworkReturn {
    private struct Entry {
        weak var listener: (any NetworkListener)?
    }

    static let shared = NetworkReturn()

    private var listeners: [ObjectIdentifier: Entry] = [:]
    private var isAvailable = true

    private init() {
        guard let monitor = g_network_monitor_get_default() else { return }
        isAvailable = g_network_monitor_get_network_available(monitor) != 0
        connect(UnsafeMutableRawPointer(monitor), "network-changed") { [unowned self] in
            changed(isAvailable: g_network_monitor_get_network_available(monitor) != 0)
        }
    }

    func add(_ listener: any NetworkListener) {
        listeners[ObjectIdentifier(listener)] = Entry(listener: listener)
    }

    func remove(_ listener: ObjectIdentifier) { listeners[listener] = nil }

    func changed(isAvailable isNow: Bool) {
        let hasReturned = isNow && !isAvailable
        isAvailable = isNow
        guard hasReturned else { return }
        for entry in listeners.values { entry.listener?.networkReturned() }
    }
}
#endif
