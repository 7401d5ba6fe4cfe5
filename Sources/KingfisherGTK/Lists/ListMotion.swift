#if GTK
import CKFGTKHeaders
import CKFGTK
import Kingfisher

/// The scroll position of a list, and when its items will be in sight.
///
/// Attached to the list's widget and released with it.
final class ListMotion {
    private static let data = ObjectData<ListMotion>(name: "kingfisher-list-motion")

    /// The GtkListView or GtkGridView; not retained, because it owns this object.
    private let list: UnsafeMutablePointer<GtkWidget>
    private weak var watch: FrameWatch?
    private var isTicking = false
    private var known = ScrollForecast()
    /// The movement up to the present position.
    var forecast: ScrollForecast {
        sample()
        return known
    }
    /// Reads the time of the current frame of a widget in seconds; tests replace it.
    static var readTime: (UnsafeMutablePointer<GtkWidget>) -> Double? = { widget in
        gtk_widget_get_frame_clock(widget).map {
            Double(gdk_frame_clock_get_frame_time($0)) / 1_000_000
        }
    }
    /// Called after the layout of each frame in which the list moves, and once after the movement.
    var onMove: (() -> Void)?

    /// The motion of the list of a cell; nil if there is none.
    static func of(_ cell: UnsafeMutablePointer<GtkWidget>) -> ListMotion? {
        guard let list = gtk_widget_get_ancestor(cell, gtk_list_base_get_type()) else { return nil }
        let owner = UnsafeMutableRawPointer(list)
        let known = data.value(of: owner)
        let motion = known ?? ListMotion(list)
        if known == nil { data.set(motion, on: owner) }
        motion.follow(FrameWatch.of(list))
        return motion
    }

    /// Follows the frames of the list's window.
    private func follow(_ new: FrameWatch?) {
        guard new !== watch else { return }
        watch?.remove(ObjectIdentifier(self))
        isTicking = false
        watch = new
        watch?.add(self)
    }

    private init(_ list: UnsafeMutablePointer<GtkWidget>) {
        self.list = list
    }

    isolated deinit { watch?.remove(ObjectIdentifier(self)) }

    /// The adjustment in the direction of scrolling; the list may be moved to another window.
    private var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
        let scrollable = OpaquePointer(list)
        return gtk_orientable_get_orientation(scrollable) == GTK_ORIENTATION_VERTICAL
            ? gtk_scrollable_get_vadjustment(scrollable)
            : gtk_scrollable_get_hadjustment(scrollable)
    }

    /// Records the position, if the list moves.
    ///
    /// Cells may be notified of a layout before this object.
    private func sample() {
        guard let adjustment, let time = Self.readTime(list) else {
            // The list is in no window, so it does not move.
            known = ScrollForecast()
            return
        }
        let position = gtk_adjustment_get_value(adjustment)
        if isTicking || known.isEmpty || position != known.position {
            known.record(position, at: time)
        }
    }

    /// The layout of a list of `count` items; nil before it has a size.
    func layout(count: Int) -> ListLayout? {
        guard count > 0, let adjustment else { return nil }
        let page = gtk_adjustment_get_page_size(adjustment)
        let item = gtk_adjustment_get_upper(adjustment) / Double(count)
        guard page > 0, item > 0 else { return nil }
        let top = gtk_adjustment_get_value(adjustment)
        return ListLayout(top: top, bottom: top + page, item: item)
    }
}

extension ListMotion: FrameListener {
    func frameBegins(at time: Double) { watch?.requestLayout() }

    func frameIsLaidOut() {
        let isMoving = forecast.velocity != 0
        guard isTicking || isMoving else { return }
        // Frames are needed to notice that the list has stopped.
        isTicking = isMoving
        if isTicking {
            watch?.startTicking(ObjectIdentifier(self))
        } else {
            watch?.stopTicking(ObjectIdentifier(self))
        }
        onMove?()
    }

    func motionSettingChanged() {}
}
#endif
