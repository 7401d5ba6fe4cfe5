#if GTK
import CGTK

/// Something that a ``FrameWatch`` wakes.
protocol FrameListener: AnyObject {
    /// A frame begins; `time` is in seconds and only ever grows.
    func frameBegins(at time: Double)

    /// Every widget of the window has its size now; painting comes next.
    func frameIsLaidOut()
}

/// The heartbeat of one window: tells its listeners of frames while there are any.
///
/// One pair of signal handlers serves all pictures of a window. It hangs on the frame clock and
/// goes with it.
final class FrameWatch {
    private struct Entry {
        weak var listener: (any FrameListener)?
    }

    private static let data = ObjectData<FrameWatch>(name: "kingfisher-frame-watch")

    private let clock: OpaquePointer
    private var ticking: [ObjectIdentifier: Entry] = [:]
    private var waitingForLayout: [ObjectIdentifier: Entry] = [:]

    private init(clock: OpaquePointer) {
        self.clock = clock
    }

    /// The watch of the window that a widget is in; nil before it is realised.
    static func of(_ widget: UnsafeMutableRawPointer) -> FrameWatch? {
        guard let clock = gtk_widget_get_frame_clock(widget.assumingMemoryBound(to: GtkWidget.self))
        else { return nil }
        let owner = UnsafeMutableRawPointer(clock)
        if let watch = data.value(of: owner) { return watch }
        let watch = FrameWatch(clock: clock)
        data.set(watch, on: owner)
        connect(owner, "update") { [unowned watch] in watch.update() }
        // After GTK's own handler, which is the one that lays out.
        connect(owner, "layout", after: true) { [unowned watch] in watch.laidOut() }
        return watch
    }

    /// Calls `frameBegins` for every frame from now on, and makes frames come.
    func startTicking(_ listener: any FrameListener) {
        if ticking.isEmpty { gdk_frame_clock_begin_updating(clock) }
        ticking[ObjectIdentifier(listener)] = Entry(listener: listener)
    }

    func stopTicking(_ listener: ObjectIdentifier) {
        guard ticking.removeValue(forKey: listener) != nil else { return }
        if ticking.isEmpty { gdk_frame_clock_end_updating(clock) }
    }

    /// Calls `frameIsLaidOut` once: in this frame if it has not been painted yet.
    func waitForLayout(_ listener: any FrameListener) {
        waitingForLayout[ObjectIdentifier(listener)] = Entry(listener: listener)
        gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_LAYOUT)
    }

    private func update() {
        guard !ticking.isEmpty else { return }
        let time = Double(gdk_frame_clock_get_frame_time(clock)) / 1_000_000
        for (key, entry) in ticking {
            if let listener = entry.listener {
                listener.frameBegins(at: time)
            } else {
                ticking[key] = nil
                if ticking.isEmpty { gdk_frame_clock_end_updating(clock) }
            }
        }
    }

    private func laidOut() {
        let waiting = waitingForLayout
        waitingForLayout = [:]
        for entry in waiting.values { entry.listener?.frameIsLaidOut() }
    }
}
#endif
