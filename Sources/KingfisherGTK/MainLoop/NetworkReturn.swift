#if GTK
import CKFGTKHeaders

/// An object that is notified when the network is available again.
protocol NetworkListener: AnyObject {
    /// The network has become available.
    func networkReturned()
}

/// Notifies its listeners when GIO's monitor reports that the network has returned.
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
