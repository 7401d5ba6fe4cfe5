#if GTK
import CKFGTKHeaders
import CKFGTK

/// A view that is notified by the ``FrameWatch`` of its window.
protocol FrameListener: AnyObject {
    /// A frame begins; `time` is in seconds and never decreases.
    func frameBegins(at time: Double)

    /// All widgets of the window have their size and position; painting comes next.
    func frameIsLaidOut()

    /// The user has turned animations on or off.
    func motionSettingChanged()
}

/// The frames of one window, for the views that are mapped in it.
///
/// One pair of signal handlers serves all views of a window. The object is attached to the window's
/// frame clock and shares its lifetime.
final class FrameWatch {
    /// A class, because a copy of a weak reference takes a lock.
    private final class Entry {
        weak var listener: (any FrameListener)?

        init(_ listener: any FrameListener) { self.listener = listener }
    }

    private static let data = ObjectData<FrameWatch>(name: "kingfisher-frame-watch")

    private let clock: OpaquePointer
    private let settings: GObjectReference?
    private var settingsHandler: UInt = 0
    private var listeners: [ObjectIdentifier: Entry] = [:]
    private var ticking: Set<ObjectIdentifier> = []
    private var isNotifying = false
    /// Whether it was made in GTK's layout, after which its handler is not called yet.
    private var missesLayout: Bool

    private init(clock: OpaquePointer, settings: OpaquePointer?) {
        self.clock = clock
        missesLayout = kf_frame_clock_is_in_layout(UnsafeMutableRawPointer(clock))
        self.settings = settings.map { GObjectReference(retaining: UnsafeMutableRawPointer($0)) }
    }

    // The settings live as long as the display.
    isolated deinit {
        if let settings { g_signal_handler_disconnect(settings.address, gulong(settingsHandler)) }
    }

    /// The watch of a widget's window; nil before the widget is realised.
    static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> FrameWatch? {
        guard let clock = gtk_widget_get_frame_clock(widget) else { return nil }
        let owner = UnsafeMutableRawPointer(clock)
        if let watch = data.value(of: owner) { return watch }
        TextureRenderer.adapt(to: widget)
        let watch = FrameWatch(clock: clock, settings: gtk_widget_get_settings(widget))
        data.set(watch, on: owner)
        connect(owner, "update") { [unowned watch] in watch.update() }
        // After GTK's own handler, which computes the layout.
        connect(owner, "layout", after: true) { [unowned watch] in
            watch.missesLayout = false
            watch.notify { $0.frameIsLaidOut() }
        }
        if let settings = watch.settings?.address {
            watch.settingsHandler = connect(settings, "notify::gtk-enable-animations") {
                [weak watch] in watch?.notify { $0.motionSettingChanged() }
            }
        }
        return watch
    }

    /// Adds a listener and calls its `frameIsLaidOut` after every layout of the window, including
    /// that of the current frame if it has not been painted.
    func add(_ listener: any FrameListener) {
        listeners[ObjectIdentifier(listener)] = Entry(listener)
        // In GTK's layout, which maps the cells of lists, the handler of this one follows.
        let isInLayout = kf_frame_clock_is_in_layout(UnsafeMutableRawPointer(clock))
        if isNotifying || missesLayout || !isInLayout { requestLayout() }
    }

    /// Removes a listener, which may be in its deinitializer.
    func remove(_ listener: ObjectIdentifier) {
        stopTicking(listener)
        // It may be among those that are being notified.
        listeners.removeValue(forKey: listener)?.listener = nil
    }

    /// Requests a layout, in the current frame if possible.
    func requestLayout() {
        gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_LAYOUT)
    }

    /// Requests frames, and calls the listener's `frameBegins` for each of them.
    func startTicking(_ listener: ObjectIdentifier) {
        let isFirst = ticking.isEmpty
        if ticking.insert(listener).inserted, isFirst { gdk_frame_clock_begin_updating(clock) }
    }

    func stopTicking(_ listener: ObjectIdentifier) {
        if ticking.remove(listener) != nil, ticking.isEmpty { gdk_frame_clock_end_updating(clock) }
    }

    private func update() {
        guard !ticking.isEmpty else { return }
        let time = Double(gdk_frame_clock_get_frame_time(clock)) / 1_000_000
        // A callback may stop other listeners, which must not be called any more.
        for key in ticking where ticking.contains(key) {
            listeners[key]?.listener?.frameBegins(at: time)
        }
    }

    private func notify(_ body: (any FrameListener) -> Void) {
        let wasNotifying = isNotifying
        isNotifying = true
        defer { isNotifying = wasNotifying }
        for entry in Array(listeners.values) {
            if let listener = entry.listener { body(listener) }
        }
    }
}
#endif
