#if GTK
import CKFGTKHeaders

/// Whether a view is on screen, and which of its parts need frames.
final class ViewSight {
    /// The parts of a view that need frames while it is on screen.
    nonisolated struct Parts: OptionSet {
        let rawValue: UInt8
        static let transition = Parts(rawValue: 1)
        static let animation = Parts(rawValue: 2)
        static let spinner = Parts(rawValue: 4)
        /// A load that starts when the view has been on screen for some frames.
        static let load = Parts(rawValue: 8)
    }

    /// Whether the view is mapped and not scrolled or clipped away by an ancestor.
    var isInSight = false {
        didSet {
            frames = 0
            requestFrames()
            onChange?(isInSight)
        }
    }
    /// The number of frames for which the view has been in sight.
    private(set) var frames = 0
    /// Called when the view appears on screen, and when it leaves the screen or ends.
    var onChange: ((Bool) -> Void)?
    private(set) weak var watch: FrameWatch?
    private var listener: ObjectIdentifier?
    private var moving: Parts = []

    isolated deinit { unmapped() }

    /// Reports the frames of a widget's window to a listener.
    func mapped(_ widget: UnsafeMutablePointer<GtkWidget>, _ listener: any FrameListener) {
        self.listener = ObjectIdentifier(listener)
        watch = FrameWatch.of(widget)
        // The visibility is known after the layout.
        watch?.add(listener)
    }

    func unmapped() {
        if let listener { watch?.remove(listener) }
        watch = nil
    }

    func frameBegins() { frames += 1 }

    /// Requests frames while a part needs them and the view is in sight, and none otherwise.
    func setMoving(_ part: Parts, _ isMoving: Bool) {
        guard moving.contains(part) != isMoving else { return }
        if isMoving { moving.insert(part) } else { moving.remove(part) }
        requestFrames()
    }

    private func requestFrames() {
        guard let watch, let listener else { return }
        if isInSight, !moving.isEmpty {
            watch.startTicking(listener)
        } else {
            watch.stopTicking(listener)
        }
    }
}
#endif
