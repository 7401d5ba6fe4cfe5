#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import Testing

@testable import KingfisherGTK

/// A window for a test, the loop that keeps it alive, and its pixels.
final class Stage {
    let window: UnsafeMutablePointer<GtkWidget>
    private var isOpen = true

    /// Whether widgets can be shown in this environment.
    nonisolated static let hasDisplay: Bool = {
        // Accessible states of widgets are kept for the tests to query.
        setenv("GTK_A11Y", "test", 0)
        // Dialogs for files store settings, for which a machine without a session has no place.
        setenv("GSETTINGS_BACKEND", "memory", 1)
        // A GTK warning ends the test process, however it was started.
        g_log_set_always_fatal(
            GLogLevelFlags(
                G_LOG_LEVEL_ERROR.rawValue | G_LOG_LEVEL_CRITICAL.rawValue
                    | G_LOG_LEVEL_WARNING.rawValue
            )
        )
        let environment = ProcessInfo.processInfo.environment
        return environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    }()

    /// Whether views can be seen on the bus of assistive technology.
    nonisolated static let hasBus = ProcessInfo.processInfo.environment["GTK_A11Y"] == "atspi"

    /// Whether tests can choose the number of pixels per point by GDK_SCALE, which Wayland ignores.
    nonisolated static let isScalable =
        ProcessInfo.processInfo.environment["GDK_BACKEND"] != "wayland"

    /// Opens an undecorated window around a widget.
    init(_ content: UnsafeMutablePointer<GtkWidget>, width: Int32 = 200, height: Int32 = 160) {
        guard gtk_init_check() != 0, let window = gtk_window_new() else {
            preconditionFailure("these tests need a display")
        }
        self.window = window
        setMode()
        let pointer = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_decorated(pointer, 0)
        gtk_window_set_default_size(pointer, width, height)
        gtk_window_set_child(pointer, content)
        gtk_window_present(pointer)
    }

    isolated deinit { close() }

    /// Applies those modes of the step `gtk` that GTK itself has no variable for.
    private func setMode() {
        let environment = ProcessInfo.processInfo.environment
        if environment["KF_TEST_DIRECTION"] == "rtl" {
            gtk_widget_set_direction(window, GTK_TEXT_DIR_RTL)
            gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL)
        }
        if let density = environment["KF_TEST_DENSITY"].flatMap(Double.init) {
            ViewSizing.readDensity = { _ in density }
        }
        if environment["KF_TEST_MOTION"] == "0" { setAnimations(enabled: false) }
    }

    /// The number of pixels of the screen along a length in points.
    func pixels(_ points: Int) -> Int {
        let density = ViewSizing.readDensity(UnsafeMutableRawPointer(window))
        return Int((Double(points) * density).rounded())
    }

    /// Closes and destroys the window.
    func close() {
        guard isOpen else { return }
        isOpen = false
        gtk_window_destroy(
            UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWindow.self)
        )
        gdk_gl_context_clear_current()
    }

    // MARK: Time

    /// Runs GLib's loop until a condition holds or the test's time limit is reached.
    ///
    /// The condition is checked after every event of the loop. Code that makes it hold elsewhere
    /// must call ``LoopEvents/wake()``.
    static func run(until condition: () -> Bool) async {
        while !condition() {
            guard !Task.isCancelled else {
                Issue.record("the time is over, and it has not happened")
                return
            }
            await withTaskCancellationHandler {
                await turn()
            } onCancel: {
                LoopEvents.wake()
            }
        }
    }

    /// The same with continuous frames of the window, each of which is an event.
    func run(until condition: () -> Bool) async {
        if let clock { gdk_frame_clock_begin_updating(clock) }
        await Self.run(until: condition)
        if isOpen, let clock { gdk_frame_clock_end_updating(clock) }
    }

    private var clock: OpaquePointer? {
        isOpen ? gtk_widget_get_frame_clock(window) : nil
    }

    /// Dispatches pending work in GLib's loop, then waits for the next event.
    static func turn() async {
        let hasWorked = dispatchPending()
        // The main actor of tests changes its thread, and a context of OpenGL belongs to the one
        // that it was last used on.
        gdk_gl_context_clear_current()
        // Lets tasks waiting for the main actor run.
        if hasWorked { await Task.yield() } else { await LoopEvents.next() }
    }

    /// Dispatches some of the pending work in GLib's loop; there may be more of it each time, because
    /// frames of a busy machine take longer than the time between two.
    ///
    /// - Returns: Whether there was any.
    @discardableResult
    static func dispatchPending() -> Bool {
        var count = 0
        while count < 16, g_main_context_iteration(nil, 0) != 0 { count += 1 }
        return count > 0
    }

    /// Waits until `frames` new frames have been painted; the last one includes all pending
    /// changes.
    func paint(frames: Int = 2) async {
        guard let clock else { return await run { false } }
        for _ in 0..<frames {
            // Without a change, GTK would not paint.
            gtk_widget_queue_draw(window)
            let before = gdk_frame_clock_get_frame_counter(clock)
            await run { gdk_frame_clock_get_frame_counter(clock) > before }
        }
        // The first frames of a window can be painted before it has a size.
        await run { capture() != nil }
    }

    /// Turns GTK's animations on or off, like the user's settings.
    func setAnimations(enabled: Bool) {
        var value = GValue()
        // G_TYPE_BOOLEAN, a macro that Swift cannot import.
        g_value_init(&value, GType(5 << 2))
        g_value_set_boolean(&value, enabled ? 1 : 0)
        let settings = gtk_widget_get_settings(window)
        g_object_set_property(
            UnsafeMutableRawPointer(settings)?.assumingMemoryBound(to: GObject.self),
            "gtk-enable-animations",
            &value
        )
    }

    // MARK: Pixels

    /// The current pixels of the window.
    func capture() -> Capture? {
        Capture(of: window)
    }
}

/// The pixels of a widget as shown on screen, by the points of its layout.
struct Capture {
    /// The size in points.
    let width: Int
    let height: Int
    /// Pixels per point.
    private let scale: Int
    private let pixels: [UInt8]

    init?(of widget: UnsafeMutablePointer<GtkWidget>) {
        let width = gtk_widget_get_width(widget)
        let height = gtk_widget_get_height(widget)
        guard width > 0, height > 0, let paintable = gtk_widget_paintable_new(widget) else {
            return nil
        }
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        let snapshot = gtk_snapshot_new()
        let scale = Int(gtk_widget_get_scale_factor(widget))
        gtk_snapshot_scale(snapshot, Float(scale), Float(scale))
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        guard let node = gtk_snapshot_free_to_node(snapshot) else { return nil }
        defer { gsk_render_node_unref(node) }
        guard let native = gtk_widget_get_native(widget),
            let renderer = gtk_native_get_renderer(native)
        else { return nil }
        var bounds = graphene_rect_t()
        let (columns, rows) = (Int(width) * scale, Int(height) * scale)
        graphene_rect_init(&bounds, 0, 0, Float(columns), Float(rows))
        guard let texture = gsk_renderer_render_texture(renderer, node, &bounds) else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
        var pixels = [UInt8](repeating: 0, count: columns * rows * 4)
        gdk_texture_download(texture, &pixels, gsize(columns) * 4)
        gdk_gl_context_clear_current()
        self.scale = scale
        self.width = Int(width)
        self.height = Int(height)
        self.pixels = pixels
    }

    /// The colour of the first pixel of a point.
    subscript(x: Int, y: Int) -> RGBA { color(row: y * scale, column: x * scale) }

    /// The colours of all pixels along the points with a horizontal position.
    func column(_ x: Int) -> [RGBA] {
        (0..<height * scale).map { color(row: $0, column: x * scale) }
    }

    private func color(row: Int, column: Int) -> RGBA {
        let start = (row * scale * width + column) * 4
        // Downloaded textures have blue first.
        return RGBA(
            red: pixels[start + 2],
            green: pixels[start + 1],
            blue: pixels[start],
            alpha: pixels[start + 3]
        )
    }

    /// The colour at the centre.
    var center: RGBA { self[width / 2, height / 2] }

    /// The number of points that differ noticeably from a colour.
    func count(differingFrom color: RGBA) -> Int {
        var count = 0
        for y in 0..<height {
            for x in 0..<width where !self[x, y].isNear(color) { count += 1 }
        }
        return count
    }
}

extension RGBA {
    nonisolated static let pureRed = RGBA(red: 255, green: 0, blue: 0)
    nonisolated static let pureGreen = RGBA(red: 0, green: 255, blue: 0)
    nonisolated static let pureBlue = RGBA(red: 0, green: 0, blue: 255)

    /// Whether no channel differs by more than a tolerance.
    nonisolated func isNear(_ other: RGBA, tolerance: Int = 12) -> Bool {
        abs(Int(red) - Int(other.red)) <= tolerance
            && abs(Int(green) - Int(other.green)) <= tolerance
            && abs(Int(blue) - Int(other.blue)) <= tolerance
    }
}

extension KFCrossPlatformImage {
    /// An image of one colour.
    static func solid(_ color: RGBA, width: Int = 40, height: Int = 40) -> KFCrossPlatformImage {
        let pixel = color.premultiplied
        let data = Data(
            (0..<width * height).flatMap { _ in [pixel.red, pixel.green, pixel.blue, pixel.alpha] }
        )
        guard
            let image = KFCrossPlatformImage(premultipliedRGBA: data, width: width, height: height)
        else { preconditionFailure("a test picture cannot be made") }
        return image
    }

    /// An animation with frames of one colour, each shown for some seconds.
    static func frames(
        _ colors: [RGBA],
        each seconds: Double,
        side: Int = 40
    ) -> KFCrossPlatformImage {
        let frames = colors.map { KFCrossPlatformImage.solid($0, width: side, height: side) }
        return KFCrossPlatformImage(
            bitmap: frames.first?.bitmap,
            images: frames,
            duration: seconds * Double(frames.count)
        )
    }
}

extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// The widget as a GtkBox.
    var asBox: UnsafeMutablePointer<GtkBox> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkBox.self)
    }
}

extension OpaquePointer {
    var asWidget: UnsafeMutablePointer<GtkWidget> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkWidget.self)
    }
}
#endif
