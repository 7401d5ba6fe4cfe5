#if GTK
import CKFGTKHeaders
import Testing

@testable import KingfisherGTK

extension GTKTests {
    @Suite(.timeLimit(.minutes(1)))
    struct FrameWatchTests {
        init() throws {
            try #require(gtk_init_check() != 0)
        }

        /// As for the first cell of a list, which is mapped in a layout.
        @Test(arguments: [false, true])
        func `a view that comes in a layout is notified without another change`(
            isFirst: Bool
        ) async throws {
            let stage = Stage(try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)))
            await stage.paint()
            let clock = try #require(gtk_widget_get_frame_clock(stage.window))
            if !isFirst { _ = FrameWatch.of(stage.window) }
            let view = LaidOut()
            var hasCome = false
            connect(UnsafeMutableRawPointer(clock), "layout") {
                if !hasCome { FrameWatch.of(stage.window)?.add(view) }
                hasCome = true
            }
            gdk_frame_clock_request_phase(clock, GDK_FRAME_CLOCK_PHASE_LAYOUT)
            await Stage.run { view.layouts > 0 }
            #expect(hasCome)
        }
    }

    private final class LaidOut: FrameListener {
        var layouts = 0

        func frameBegins(at time: Double) {}
        func frameIsLaidOut() { layouts += 1 }
        func motionSettingChanged() {}
    }
}
#endif
