#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// A ``KFImage`` that fails and retries, or is bound to several sources in turn.
    @Suite(.timeLimit(.minutes(1)))
    struct KFImageStateTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        // MARK: Trying again

        @Test func `a failure is shown with its reason, and a retry ends it`() async throws {
            var errors: [KingfisherError] = []
            var loaded = 0
            var labels: [UnsafeMutablePointer<GtkWidget>] = []
            let image = image(of: bench.server.url("/a.jpg"))
                .onFailureView { error in
                    errors.append(error)
                    let label = UnsafeMutablePointer<GtkWidget>(gtk_label_new("failed"))
                    if let label { labels.append(label) }
                    return label ?? UnsafeMutablePointer(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
                }
                .onSuccess { _ in loaded += 1 }
            let stage = Stage(image.widget)
            await stage.run { labels.count == 1 }
            #expect(errors.first?.isInvalidResponseStatusCode == true)
            await stage.run { gtk_widget_get_mapped(labels[0]) != 0 }
            image.retry()
            await stage.run { labels.count == 2 }
            await stage.run { gtk_widget_get_mapped(labels[1]) != 0 }
            bench.serveJPEG("/a.jpg")
            image.retry()
            await stage.run { loaded == 1 }
            #expect(gtk_widget_get_visible(labels[1]) == 0)
            #expect(image.view.image != nil)
            // There is nothing to retry.
            let requests = bench.server.requests.count
            image.retry()
            await stage.paint()
            #expect(bench.server.requests.count == requests)
        }

        @Test func `a failed image loads again when the network returns`() async throws {
            var failures = 0
            var loaded = 0
            let image = image(of: bench.server.url("/a.jpg"))
                .retryWhenOnline()
                .onFailure { _ in failures += 1 }
                .onSuccess { _ in loaded += 1 }
            let other = self.image(of: bench.server.url("/b.jpg")).onFailure { _ in failures += 1 }
            let box = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            gtk_box_append(box.asBox, image.widget)
            gtk_box_append(box.asBox, other.widget)
            let stage = Stage(box)
            await stage.run { failures == 2 }
            bench.serveJPEG("/a.jpg")
            bench.serveJPEG("/b.jpg")
            NetworkReturn.shared.changed(isAvailable: false)
            #expect(bench.server.requests.count == 2)
            NetworkReturn.shared.changed(isAvailable: true)
            await stage.run { loaded == 1 }
            // The image without a retry stays as it is.
            await stage.paint()
            #expect(bench.server.requests.count == 3)
        }

        @Test func `a click after a failure loads again`() async throws {
            var failures = 0
            var loaded = 0
            let image = image(of: bench.server.url("/a.jpg"))
                .retryOnClick()
                .onFailure { _ in failures += 1 }
                .onSuccess { _ in loaded += 1 }
            let stage = Stage(image.widget)
            await stage.run { failures == 1 }
            bench.serveJPEG("/a.jpg")
            try click(image.widget)
            await stage.run { loaded == 1 }
        }

        // MARK: The end

        @Test func `its view outlives it, with the play button`() async {
            weak var state: KFImageState?
            let view = {
                let image = KFImage(nil as URL?).playButton()
                state = image.state
                return image.view
            }()
            await Stage.run { state == nil }
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            #expect(view.image != nil)
        }

        @Test func `a widget outlives the making of a failure view that removes it`() async throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            let stage = Stage(box)
            var failures = 0
            var made = 0
            gtk_box_append(
                box.asBox,
                image(of: bench.server.url("/missing"))
                    .onFailureView { _ in
                        if let child = gtk_widget_get_first_child(box) {
                            gtk_box_remove(box.asBox, child)
                        }
                        made += 1
                        return UnsafeMutablePointer(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
                    }
                    .onFailure { _ in failures += 1 }
                    .widget
            )
            await stage.run { failures == 1 }
            #expect(made == 1)
        }

        @Test func `every failure may be explained by the same widget`() async throws {
            let label = try #require(gtk_label_new("It failed."))
            var failures = 0
            let image = image(of: bench.server.url("/missing"))
                .onFailureView { _ in label }
                .onFailure { _ in failures += 1 }
            let stage = Stage(image.widget)
            await stage.run { failures == 1 }
            image.retry()
            await stage.run { failures == 2 }
            #expect(gtk_widget_get_parent(label) == image.widget)
            #expect(gtk_widget_get_mapped(label) != 0)
        }

        @Test func `a failure that is answered with another source is not shown`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            let label = try #require(gtk_label_new("It failed."))
            let image = image(of: bench.server.url("/missing"))
            var failures = 0
            let stage = Stage(
                image
                    .onFailureView { [weak image, bench] _ in
                        image?.bind(to: bench.server.url("/slow.jpg"))
                        return label
                    }
                    .onFailure { _ in failures += 1 }
                    .widget
            )
            await stage.run { failures == 1 }
            #expect(gtk_widget_get_visible(label) == 0)
            gate.open()
            await stage.run { image.view.image != nil }
            #expect(gtk_widget_get_visible(label) == 0)
        }

        @Test func `the caller may take a placeholder away while it is shown`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            let spinner = try #require(gtk_spinner_new())
            var loaded = 0
            let image = image(of: bench.server.url("/slow.jpg"))
                .placeholder(spinner)
                .onSuccess { _ in loaded += 1 }
            let stage = Stage(image.widget)
            await stage.run { bench.server.requests.count == 1 }
            gtk_overlay_remove_overlay(OpaquePointer(image.widget), spinner)
            gate.open()
            await stage.run { loaded == 1 }
            #expect(image.view.image != nil)
        }

        // MARK: Another source

        @Test func `bound to another source it shows that one alone`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            bench.serveJPEG("/quick.jpg", width: 50, height: 20)
            var shown: [CGFloat] = []
            let image = image(of: bench.server.url("/slow.jpg"))
                .onSuccess { shown.append($0.image.size.width) }
            let stage = Stage(image.widget)
            await stage.run { bench.server.requests.count == 1 }
            image.bind(to: bench.server.url("/quick.jpg"))
            await stage.run { shown.count == 1 }
            gate.open()
            await stage.paint(frames: 8)
            #expect(shown == [50])
            #expect(image.view.image?.size.width == 50)
            // The same source again does not load.
            let requests = bench.server.requests.count
            image.bind(to: bench.server.url("/quick.jpg"))
            #expect(bench.server.requests.count == requests)
            #expect(image.view.image != nil)
        }

        @Test func `bound while it is hidden it never shows the source before`() async throws {
            var loaded = 0
            let image = image(of: bench.serveJPEG("/a.jpg")).onSuccess { _ in loaded += 1 }
            let stage = Stage(image.widget)
            await stage.run { loaded == 1 }
            gtk_widget_set_visible(image.widget, 0)
            image.bind(to: bench.serveJPEG("/b.jpg", width: 50, height: 20))
            #expect(image.view.image == nil)
            gtk_widget_set_visible(image.widget, 1)
            await stage.run { loaded == 2 }
            #expect(image.view.image?.size.width == 50)
        }

        @Test func `a hash stands in for one source, not for the next`() async throws {
            let hash = try #require(KFCrossPlatformImage.solid(.pureRed).kf.blurHash())
            let thumb = try #require(KFCrossPlatformImage.solid(.pureBlue).kf.thumbHash())
            for path in ["/a.jpg", "/b.jpg", "/c.jpg"] {
                bench.server.route(path, .gated(TestImage.jpeg(), at: [(0, ServerGate())]))
            }
            let image = image(of: bench.server.url("/a.jpg")).blurHash(hash)
            let stage = Stage(image.widget)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
            image.thumbHash(thumb).bind(to: bench.server.url("/b.jpg"))
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureBlue, tolerance: 30))
            image.bind(to: bench.server.url("/c.jpg"))
            #expect(image.view.image == nil)
        }

        // MARK: Helpers

        private func image(of url: URL) -> KFImage {
            KFImage(url)
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .resizable(.fill)
        }

        /// Ends a click of the widget's first gesture, as the pointer would.
        private func click(_ widget: UnsafeMutablePointer<GtkWidget>) throws {
            let controllers = try #require(gtk_widget_observe_controllers(widget))
            defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
            for index in 0..<g_list_model_get_n_items(controllers) {
                guard let item = g_list_model_get_item(controllers, index) else { continue }
                defer { g_object_unref(item) }
                let signal = g_signal_lookup("released", gtk_gesture_click_get_type())
                let isClick =
                    g_type_check_instance_is_a(
                        item.assumingMemoryBound(to: GTypeInstance.self),
                        gtk_gesture_click_get_type()
                    ) != 0
                guard isClick else { continue }
                var values = [GValue](repeating: GValue(), count: 4)
                g_value_init(&values[0], gtk_gesture_click_get_type())
                g_value_set_object(&values[0], item)
                // G_TYPE_INT and G_TYPE_DOUBLE, macros that Swift cannot import.
                g_value_init(&values[1], GType(6 << 2))
                g_value_init(&values[2], GType(15 << 2))
                g_value_init(&values[3], GType(15 << 2))
                g_signal_emitv(values, signal, 0, nil)
                g_value_unset(&values[0])
            }
        }
    }
}
#endif
