#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Images that are mapped, but scrolled or clipped out of view.
    @Suite(.timeLimit(.minutes(1)))
    struct SightTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test func `of a long box in a scrolled window only the rows in sight load`() async throws {
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let column = try Column()
            for row in 0..<60 {
                let view = column.add(ImageView())
                view.setSizeRequest(width: 100, height: 40)
                view.kf.loadStart = .whenVisible
                load("/\(row)", in: view)
            }
            let stage = Stage(column.widget, width: 200, height: 160)
            await stage.run { bench.server.requests.count >= 4 }
            await stage.paint(frames: 6)
            #expect(Set(bench.server.requests.map(\.path)) == ["/0", "/1", "/2", "/3"])
            column.scroll(to: 10_000)
            await stage.run { column.views[59].image != nil }
            await stage.paint(frames: 4)
            #expect(column.views[0].image == nil)
            #expect(bench.server.requests.count == 8)
            // Images that become visible again are in memory, and therefore in the first frame.
            column.scroll(to: 0)
            await stage.paint(frames: 1)
            #expect(column.views[0].image != nil)
        }

        @Test func `a view that ends in sight leaves it`() async {
            var reports: [Bool] = []
            do {
                let view = ImageView()
                view.controller.sight.onChange = { reports.append($0) }
                view.controller.sight.isInSight = true
            }
            await Stage.run { reports == [true, false] }
        }

        @Test func `of many animations only those in sight play`() async throws {
            let column = try Column()
            for _ in 0..<50 {
                let view = column.add(AnimatedPictureView())
                view.setSizeRequest(width: 100, height: 40)
                view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            }
            let stage = Stage(column.widget, width: 200, height: 160)
            let player = try #require(column.views[49].controller.content.animation.player)
            await stage.run {
                column.views[3].controller.content.animation.player?.currentIndex == 1
            }
            #expect(player.decodedCount == 0)
            #expect(!column.views[49].controller.content.animation.isPlaying)
            column.scroll(to: 10_000)
            await stage.run { player.currentIndex == 1 }
            let first = try #require(column.views[0].controller.content.animation.player)
            let index = first.currentIndex
            await stage.paint(frames: 8)
            #expect(first.currentIndex == index)
        }

        @Test func `a row keeps its place while its image is let go of`() async throws {
            bench.serveJPEG("/a.jpg", width: 100, height: 120)
            let column = try Column()
            let view = column.add(ImageView())
            view.kf.decodeSize = .original
            view.kf.loadStart = .whenVisible
            for _ in 0..<10 { column.add(ImageView()).setSizeRequest(width: 100, height: 100) }
            load("/a.jpg", in: view)
            let stage = Stage(column.widget, width: 200, height: 160)
            await stage.run { view.image != nil }
            await stage.paint()
            let height = column.height
            column.scroll(to: 10_000)
            await stage.run { view.image == nil }
            await stage.paint()
            #expect(column.height == height)
        }

        @Test func `an image that is still fading in is let go of out of sight`() async throws {
            bench.serveJPEG("/a.jpg", width: 100, height: 40)
            let column = try Column()
            let view = column.add(ImageView())
            view.setSizeRequest(width: 100, height: 40)
            view.kf.loadStart = .whenVisible
            for _ in 0..<10 { column.add(ImageView()).setSizeRequest(width: 100, height: 100) }
            load("/a.jpg", in: view, [.transition(.fade(1_000)), .forceTransition])
            let stage = Stage(column.widget, width: 200, height: 160)
            await stage.run { view.controller.content.transition != nil }
            column.scroll(to: 10_000)
            await stage.run { view.image == nil }
            column.scroll(to: 0)
            await stage.run { view.image != nil }
        }

        @Test func `a view is in sight if every clipping ancestor shows part of it`()
            async throws
        {
            let column = try Column()
            let inner = try Column()
            for _ in 0..<5 { inner.add(ImageView()).setSizeRequest(width: 100, height: 40) }
            gtk_widget_set_size_request(inner.widget, 150, 100)
            for _ in 0..<3 { column.add(ImageView()).setSizeRequest(width: 100, height: 40) }
            column.append(inner.widget)
            let stage = Stage(column.widget, width: 200, height: 160)
            await stage.paint()
            // Three rows of 40, then 40 of the inner window's 100.
            let isInSight = { (view: ImageView) in kf_widget_is_in_sight(view.widget) }
            #expect(column.views.map(isInSight) == [true, true, true])
            #expect(inner.views.map(isInSight) == [true, false, false, false, false])
            inner.scroll(to: 10_000)
            await stage.paint()
            #expect(inner.views.map(isInSight) == [false, false, true, true, false])
            column.scroll(to: 10_000)
            await stage.paint()
            #expect(inner.views.map(isInSight) == [false, false, true, true, true])
            #expect(column.views.map(isInSight) == [false, true, true])
        }

        @Test func `an image in a popover is in sight, wherever the popover's button is`()
            async throws
        {
            bench.serveJPEG("/a.jpg", width: 100, height: 60)
            let column = try Column()
            let button = try #require(gtk_menu_button_new())
            gtk_widget_set_size_request(button, 60, 20)
            column.append(button)
            column.add(ImageView()).setSizeRequest(width: 100, height: 400)
            let popover = try #require(gtk_popover_new())
            let view = AnimatedPictureView()
            view.setSizeRequest(width: 100, height: 60)
            view.kf.loadStart = .whenVisible
            let content = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let space = try #require(gtk_label_new(nil))
            gtk_widget_set_size_request(space, 100, 200)
            gtk_box_append(content.asBox, space)
            gtk_box_append(content.asBox, view.widget)
            gtk_popover_set_child(popover.asPopover, content)
            // A grab of the pointer needs a window manager.
            gtk_popover_set_autohide(popover.asPopover, 0)
            gtk_menu_button_set_popover(OpaquePointer(button), popover)
            load("/a.jpg", in: view)
            // The popover is larger than the window that scrolls its button.
            let stage = Stage(column.widget, width: 70, height: 30)
            await stage.paint()
            #expect(view.image == nil)
            gtk_popover_popup(popover.asPopover)
            await stage.run { view.image != nil }
            #expect(kf_widget_is_in_sight(view.widget))
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            await stage.run { view.currentFrameIndex == 1 }
            gtk_popover_popdown(popover.asPopover)
            await stage.run { !view.isAnimating || !view.controller.sight.isInSight }
        }

        @Test func `a view that its ancestors scale or turn is in sight where it is painted`()
            async throws
        {
            let fixed = try #require(gtk_fixed_new())
            let frame = try #require(gtk_scrolled_window_new())
            gtk_scrolled_window_set_policy(
                OpaquePointer(frame),
                GTK_POLICY_EXTERNAL,
                GTK_POLICY_EXTERNAL
            )
            gtk_scrolled_window_set_child(OpaquePointer(frame), fixed)
            // From right to left the other end of the content would be in sight.
            gtk_widget_set_direction(gtk_widget_get_parent(fixed), GTK_TEXT_DIR_LTR)
            let view = ImageView()
            view.setSizeRequest(width: 40, height: 40)
            let place = { (x: Float, degrees: Float) in
                var point = graphene_point_t(x: x, y: 20)
                let moved = gsk_transform_rotate(gsk_transform_translate(nil, &point), degrees)
                gtk_fixed_set_child_transform(fixed.asFixed, view.widget, moved)
                gsk_transform_unref(moved)
            }
            gtk_fixed_put(fixed.asFixed, view.widget, 0, 0)
            let stage = Stage(frame, width: 100, height: 100)
            await stage.paint()
            #expect(kf_widget_is_in_sight(view.widget))
            // Its corner is outside, but turned by half a turn it reaches inside.
            place(120, 180)
            await stage.paint()
            #expect(kf_widget_is_in_sight(view.widget))
            place(120, 0)
            await stage.paint()
            #expect(!kf_widget_is_in_sight(view.widget))
        }

        private func load(
            _ path: String,
            in view: ImageView,
            _ options: KingfisherOptionsInfo? = nil
        ) {
            _ = view.controller.loader.load(
                .network(bench.server.url(path)),
                placeholder: nil,
                options: KingfisherParsedOptionsInfo(options),
                by: bench.manager,
                progress: nil,
                completion: nil
            )
        }
    }
}

extension UnsafeMutablePointer where Pointee == GtkWidget {
    fileprivate var asPopover: UnsafeMutablePointer<GtkPopover> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkPopover.self)
    }

    fileprivate var asFixed: UnsafeMutablePointer<GtkFixed> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkFixed.self)
    }
}

/// Views in a vertical column in a scrolled window.
private final class Column {
    let widget: UnsafeMutablePointer<GtkWidget>
    private(set) var views: [ImageView] = []
    private let box: UnsafeMutablePointer<GtkWidget>
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>

    init() throws {
        widget = try #require(gtk_scrolled_window_new())
        box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
        adjustment = try #require(gtk_scrolled_window_get_vadjustment(OpaquePointer(widget)))
        gtk_scrolled_window_set_child(OpaquePointer(widget), box)
    }

    /// The total height of the views.
    var height: Double { gtk_adjustment_get_upper(adjustment) }

    @discardableResult
    func add<View: ImageView>(_ view: View) -> View {
        views.append(view)
        append(view.widget)
        return view
    }

    func append(_ widget: UnsafeMutablePointer<GtkWidget>) { gtk_box_append(box.asBox, widget) }

    func scroll(to position: Double) { gtk_adjustment_set_value(adjustment, position) }
}
#endif
