#if GTK
import CKFGTKHeaders

/// Attaches Swift objects to a GObject; they are released when it is finalised.
struct ObjectData<Value: AnyObject> {
    private let quark: GQuark

    init(name: String) {
        quark = g_quark_from_string(name)
    }

    /// The object attached to `owner`.
    func value(of owner: UnsafeMutableRawPointer) -> Value? {
        g_object_get_qdata(owner.assumingMemoryBound(to: GObject.self), quark)
            .map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Attaches an object to `owner` and releases the previous one.
    func set(_ value: Value, on owner: UnsafeMutableRawPointer) {
        g_object_set_qdata_full(
            owner.assumingMemoryBound(to: GObject.self),
            quark,
            Unmanaged.passRetained(value).toOpaque(),
            ObjectDataRelease.callback
        )
    }
}

nonisolated private enum ObjectDataRelease {
    static var callback: GDestroyNotify {
        { value in
            if let value { Unmanaged<AnyObject>.fromOpaque(value).release() }
        }
    }
}
#endif
