#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher
import Pixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    @Suite(.timeLimit(.minutes(1)))
    struct WidgetTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        private var options: KingfisherOptionsInfo {
            [.targetCache(bench.cache), .downloader(bench.downloader)]
        }

        // MARK: Buttons

        @Test func `a button shows its alternate image while it is pressed`() async throws {
            let button = ImageButton()
            let stage = Stage(button.widget)
            let controller = ButtonController.of(button.gtkButton)
            controller.image.image = .solid(.pureRed)
            controller.alternate.image = .solid(.pureGreen)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
            gtk_widget_set_state_flags(button.widget, GTK_STATE_FLAG_ACTIVE, 0)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
            gtk_widget_unset_state_flags(button.widget, GTK_STATE_FLAG_ACTIVE)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
        }

        @Test func `VW-18: the images of a button are loaded independently`() async throws {
            let button = ImageButton()
            let stage = Stage(button.widget)
            var loaded = 0
            button.kf.setImage(with: bench.serveJPEG("/a.jpg"), options: options) { _ in
                loaded += 1
            }
            button.kf.setAlternateImage(with: bench.serveJPEG("/b.jpg"), options: options) { _ in
                loaded += 1
            }
            await stage.run { loaded == 2 }
            #expect(button.kf.image != nil)
            #expect(button.kf.alternateImage != nil)
        }

        @Test func `a button takes its alternate image from every kind of source`() async throws {
            let button = ImageButton()
            let stage = Stage(button.widget)
            let data = TestImage.jpeg()
            let provider = RawImageDataProvider(data: data, cacheKey: "raw")
            let url = bench.serveJPEG("/a.jpg")
            var loaded = 0
            let completion: ImageCompletion = { if case .success = $0 { loaded += 1 } }
            let options = options
            button.kf.setAlternateImage(
                with: provider,
                options: options,
                completionHandler: completion
            )
            await stage.run { loaded == 1 }
            button.kf.setAlternateImage(
                with: provider,
                options: options,
                progressBlock: nil,
                completionHandler: completion
            )
            await stage.run { loaded == 2 }
            button.kf.setAlternateImage(
                with: url,
                options: options,
                progressBlock: nil,
                completionHandler: completion
            )
            await stage.run { loaded == 3 }
            button.kf.setAlternateImage(
                with: Source.network(url),
                options: options,
                completionHandler: completion
            )
            await stage.run { loaded == 4 }
            #expect(button.kf.alternateImage != nil)
            #expect(button.kf.image == nil)
        }

        // MARK: Accessibility

        @Test func `the alternative text and the role reach assistive technology`()
            async throws
        {
            let view = ImageView()
            let stage = Stage(view.widget)
            let accessible = view.gtkPicture
            #expect(gtk_accessible_get_accessible_role(accessible) == GTK_ACCESSIBLE_ROLE_IMG)
            let description = GTK_ACCESSIBLE_PROPERTY_DESCRIPTION
            #expect(gtk_test_accessible_has_property(accessible, description) == 0)
            view.alternativeText = "a red barn"
            #expect(gtk_test_accessible_has_property(accessible, description) != 0)
            // Loading does not change it.
            var loaded = 0
            view.kf.setImage(with: bench.serveJPEG("/a.jpg"), options: options) { _ in loaded += 1 }
            await stage.run { loaded == 1 }
            #expect(view.alternativeText == "a red barn")
            #expect(gtk_test_accessible_has_property(accessible, description) != 0)
        }

        // MARK: KFImage

        @Test func `a widget fades its image in`() async throws {
            var loaded = 0
            let green = KFCrossPlatformImage.solid(.pureGreen)
            let png = try #require(green.kf.pngRepresentation())
            bench.server.route("/green.png", .body(png, type: "image/png"))
            let image = KFImage(bench.server.url("/green.png"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .placeholder(.solid(.black))
                .resizable(.fill)
                // So long that the frames before the test takes control are at its beginning.
                .fade(duration: 1_000_000)
                .onSuccess { _ in loaded += 1 }
            let stage = Stage(image.widget, width: 120, height: 80)
            let controller = image.view.controller
            await stage.run { controller.transition != nil }
            #expect(loaded == 0)
            controller.watch?.stopTicking(ObjectIdentifier(controller))
            let start = Double(g_get_monotonic_time()) / 1_000_000
            controller.frameBegins(at: start)
            controller.frameBegins(at: start + 500_000)
            await stage.paint()
            let half = try #require(stage.capture()).center
            #expect(abs(Int(half.green) - 128) <= 4)
            #expect(half.red == 0)
            controller.frameBegins(at: start + 1_000_001)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
            #expect(loaded == 1)
        }

        @Test func `a widget loads when it comes on screen, and says so`() async throws {
            var loaded = 0
            let image = KFImage(bench.serveJPEG("/a.jpg"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .resizable(.cover)
                .alternativeText("a gradient")
                .onSuccess { _ in loaded += 1 }
            #expect(bench.server.requests.isEmpty)
            let stage = Stage(image.widget)
            await stage.run { loaded == 1 }
            #expect(image.view.image != nil)
            #expect(image.view.alternativeText == "a gradient")
        }

        @Test func `widgets stand in while it loads and when it fails`() async throws {
            let gate = ServerGate()
            let head = ServerReply.head(404, [("Content-Length", "0")])
            bench.server.route("/late", ServerReply(steps: [.wait(gate), .send(head)]))
            let waiting = try #require(gtk_label_new("waiting"))
            let failed = try #require(gtk_label_new("failed"))
            var errors = 0
            let image = KFImage(bench.server.url("/late"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .placeholder(waiting)
                .onFailureView(failed)
                .onFailure { _ in errors += 1 }
            let stage = Stage(image.widget)
            await stage.run { gtk_widget_get_visible(waiting) != 0 }
            #expect(gtk_widget_get_visible(failed) == 0)
            gate.open()
            await stage.run { errors == 1 }
            #expect(gtk_widget_get_visible(waiting) == 0)
            #expect(gtk_widget_get_visible(failed) != 0)
        }

        @Test func `a load is cancelled when the widget disappears, and begins again`() async throws
        {
            let gate = ServerGate()
            let data = TestImage.jpeg()
            let head = ServerReply.head(200, [("Content-Length", "\(data.count)")])
            let slow = ServerReply(steps: [.send(head), .wait(gate), .send(data)])
            bench.server.route("/slow.jpg", slow)
            var errors = 0
            var loaded = 0
            let image = KFImage(bench.server.url("/slow.jpg"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .cancelOnDisappear()
                .onFailure { if $0.isCancellation { errors += 1 } }
                .onSuccess { _ in loaded += 1 }
            let stage = Stage(image.widget)
            await stage.paint(frames: 8)
            gtk_widget_set_visible(image.widget, 0)
            await stage.run { errors == 1 }
            gate.open()
            gtk_widget_set_visible(image.widget, 1)
            await stage.run { loaded == 1 }
        }

        @Test func `a widget can begin before it is on screen`() async throws {
            var loaded = 0
            let image = KFImage(bench.serveJPEG("/a.jpg"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .configure { $0.setSizeRequest(width: 60, height: 40) }
                .onSuccess { _ in
                    loaded += 1
                    LoopEvents.wake()
                }
                .startLoadingBeforeViewAppear()
            await Stage.run { loaded == 1 }
            #expect(gtk_widget_get_mapped(image.widget) == 0)
            let stage = Stage(image.widget)
            await stage.paint()
            #expect(loaded == 1)
            #expect(bench.server.requests.count == 1)
        }

        @Test func `the bar shows the share that has arrived, until all is there`() async throws {
            let gate = ServerGate()
            let data = TestImage.jpeg(width: 400, height: 300)
            let head = ServerReply.head(200, [("Content-Length", "\(data.count)")])
            let half = data.count / 2
            bench.server.route(
                "/slow.jpg",
                ServerReply(
                    steps: [
                        .send(head), .send(data.prefix(half)), .wait(gate),
                        .send(data.dropFirst(half)),
                    ]
                )
            )
            var loaded = 0
            var reports: [Int64] = []
            let image = KFImage(bench.server.url("/slow.jpg"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .loadingProgress()
                .onProgress { received, _ in reports.append(received) }
                .onSuccess { _ in loaded += 1 }
            let stage = Stage(image.widget)
            let bar = try #require(gtk_widget_get_last_child(image.widget))
            let share = { gtk_progress_bar_get_fraction(OpaquePointer(bar)) }
            await stage.run { share() > 0 }
            #expect(abs(share() - 0.5) < 0.01)
            #expect(gtk_widget_get_mapped(bar) != 0)
            gate.open()
            await stage.run { loaded == 1 }
            #expect(gtk_widget_get_visible(bar) == 0)
            #expect(reports.last == Int64(data.count))
        }

        // MARK: Lists

        @Test func `cells that are not seen hold no image, and have it back in the first frame`()
            async throws
        {
            let count = 2_000
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: count)
            {
                [bench] in .network(bench.server.url("/\($0)"))
            }
            cells.manager = bench.manager
            cells.prefetchCount = 0
            var views: [OpaquePointer: Int] = [:]
            cells.onBind = { position, view in views[view.gtkPicture] = position }
            let grid = Grid(cells, count: count)
            let stage = Stage(grid.widget, width: 400, height: 300)
            let visible = {
                views.filter { kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key)) }
            }
            let isSettled = {
                let visible = visible()
                return visible.count > 20 && visible.allSatisfy { kf($0.key).image != nil }
            }
            await stage.run(until: isSettled)
            // Near enough that the visible cells stay bound to their items.
            grid.scroll(to: 600)
            await stage.run { visible().values.allSatisfy { $0 > 30 } && isSettled() }
            let unseen = views.keys.filter { !kf_widget_is_in_sight(UnsafeMutableRawPointer($0)) }
            #expect(unseen.contains { views[$0] ?? .max < 20 })
            #expect(unseen.allSatisfy { kf($0).image == nil })
            let requests = bench.server.requests.count
            grid.scroll(to: 0)
            await stage.paint(frames: 1)
            #expect(isSettled())
            #expect(bench.server.requests.count == requests)
        }

        @Test func `every settled cell of a scrolled grid shows its own image`() async throws {
            let count = 3_000
            bench.server.fallback { request in
                let number = Int(request.path.dropFirst()) ?? 0
                let png = TestImage.png(width: 20 + number % 40, height: 20)
                return .body(png, type: "image/png")
            }
            let cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: count)
            {
                [bench] in .network(bench.server.url("/\($0)"))
            }
            cells.manager = bench.manager
            var views: [OpaquePointer: Int] = [:]
            cells.onBind = { position, view in views[view.gtkPicture] = position }
            let grid = Grid(cells, count: count)
            let stage = Stage(grid.widget, width: 400, height: 300)
            await stage.paint()
            for step in 1...30 {
                grid.scroll(to: Double(step) * 400)
                await stage.paint(frames: 1)
            }
            let visible = {
                views.filter { kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key)) }
            }
            await stage.run {
                let visible = visible()
                return !visible.isEmpty && visible.allSatisfy { kf($0.key).image != nil }
            }
            for (picture, position) in visible() {
                #expect(kf(picture).image?.pixelWidth == 20 + position % 40)
            }
            // Thirty screens were passed; items that only passed were not requested.
            #expect(bench.server.requests.count < 600)
        }
    }
}

/// A scrolled grid for tests.
final class Grid {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>

    init(_ cells: ImageListFactory, count: Int) {
        let strings = gtk_string_list_new(nil)
        for number in 0..<count { gtk_string_list_append(strings, "\(number)") }
        let model = gtk_no_selection_new(strings)
        guard let view = gtk_grid_view_new(model, cells.makeFactory()),
            let window = gtk_scrolled_window_new(),
            let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(window))
        else { preconditionFailure("GTK has no memory") }
        gtk_grid_view_set_max_columns(OpaquePointer(view), 20)
        gtk_scrolled_window_set_child(OpaquePointer(window), view)
        widget = window
        self.adjustment = adjustment
    }

    func scroll(to position: Double) { gtk_adjustment_set_value(adjustment, position) }
}

extension OpaquePointer {
    var asWidget: UnsafeMutablePointer<GtkWidget> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GtkWidget.self)
    }
}
#endif
