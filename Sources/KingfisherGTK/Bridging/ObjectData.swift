#if GTK
import CGTK

/// Swift objects that hang on a GObject and are released when it is finalised.
struct ObjectData<Value: AnyObject> {
    private let quark: GQuark

    init(name: String) {
        quark = g_quark_from_string(name)
    }

    /// The object that hangs on `owner`.
    func value(of owner: UnsafeMutableRawPointer) -> Value? {
        g_object_get_qdata(owner.assumingMemoryBound(to: GObject.self), quark)
            .map { Unmanaged<Value>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Hangs an object on `owner`; the one before is released.
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
