#if GTK
import CGTK

/// A picture on a window, as its ``FrameWatch`` knows it.
protocol FrameListener: AnyObject {
    /// A frame begins; `time` is in seconds and never decreases.
    func frameBegins(at time: Double)

    /// Every widget of the window has its size and place; painting comes next.
    func frameIsLaidOut()

    /// The user has turned animations on or off.
    func motionSettingChanged()
}

/// The frames of one window, for the pictures that are mapped in it.
///
/// One pair of signal handlers serves all pictures of a window. It hangs on the frame clock and
/// goes with it.
final class FrameWatch {
    private struct Entry {
        weak var listener: (any FrameListener)?
    }

    private static let data = ObjectData<FrameWatch>(name: "kingfisher-frame-watch")

    private let clock: OpaquePointer
    private let settings: GObjectReference?
    private var settingsHandler: UInt = 0
    private var listeners: [ObjectIdentifier: Entry] = [:]
    private var ticking: Set<ObjectIdentifier> = []

    private init(clock: OpaquePointer, settings: OpaquePointer?) {
        self.clock = clock
        self.settings = settings.map { GObjectReference(retaining: UnsafeMutableRawPointer($0)) }
    }

    // The settings live as long as the display.
    isolated deinit {
        if let settings { g_signal_handler_disconnect(settings.address, gulong(settingsHandler)) }
    }

    /// The watch of the window that a widget is in; nil before it is realised.
    static func of(_ widget: UnsafeMutablePointer<GtkWidget>) -> FrameWatch? {
        guard let clock = gtk_widget_get_frame_clock(widget) else { return nil }
        let owner = UnsafeMutableRawPointer(clock)
        if let watch = data.value(of: owner) { return watch }
        let watch = FrameWatch(clock: clock, settings: gtk_widget_get_settings(widget))
        data.set(watch, on: owner)
        connect(owner, "update") { [unowned watch] in watch.update() }
        // After GTK's own handler, which is the one that lays out.
        connect(owner, "layout", after: true) { [unowned watch] in
            watch.notify { $0.frameIsLaidOut() }
        }
        if let settings = watch.settings?.address {
            watch.settingsHandler = connect(settings, "notify::gtk-enable-animations") {
                [weak watch] in watch?.notify { $0.motionSettingChanged() }
            }
        }
        return watch
    }

    /// Calls `frameIsLaidOut` after every layout of the window, this frame's if it has not been
    /// painted yet.
    func add(_ listener: any FrameListener) {
        listeners[ObjectIdentifier(listener)] = Entry(listener: listener)
        requestLayout()
    }

    /// Forgets a listener, which may be in its deinitializer.
    func remove(_ listener: ObjectIdentifier) {
        stopTicking(listener)
        listeners[listener] = nil
    }

    /// Makes a layout come, if need be in this frame.
    func requestLayout() {
        gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_LAYOUT)
    }

    /// Calls `frameBegins` of a listener for every frame from now on, and makes frames come.
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
        // A listener's callback may end others, which must not be called any more.
        for key in ticking where ticking.contains(key) {
            listeners[key]?.listener?.frameBegins(at: time)
        }
    }

    private func notify(_ body: (any FrameListener) -> Void) {
        for key in Array(listeners.keys) {
            if let listener = listeners[key]?.listener { body(listener) }
        }
    }
}
#endif
