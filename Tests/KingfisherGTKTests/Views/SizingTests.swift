#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The size in which images are decoded, and the number of decodes.
    @Suite(.timeLimit(.minutes(1)))
    struct SizingTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        // MARK: Layouts

        @Test(arguments: [
            (GTK_ALIGN_CENTER, GTK_ALIGN_CENTER), (GTK_ALIGN_CENTER, GTK_ALIGN_FILL),
            (GTK_ALIGN_FILL, GTK_ALIGN_CENTER), (GTK_ALIGN_START, GTK_ALIGN_END),
        ])
        func `an aligned image is decoded to its own size, once`(
            horizontal: GtkAlign,
            vertical: GtkAlign
        ) async throws {
            for view in [ImageView(), ImageView(picture: OpaquePointer(gtk_picture_new()))] {
                gtk_widget_set_halign(view.widget, horizontal)
                gtk_widget_set_valign(view.widget, vertical)
                let stage = Stage(view.widget, width: 600, height: 500)
                await stage.paint()
                var changes = 0
                view.controller.content.onChange = { changes += 1 }
                let url = bench.serveJPEG("/a.jpg", width: 320, height: 240)
                let loading = load(url, in: view)
                await stage.run { loading.results.count == 1 }
                await stage.paint(frames: 20)
                #expect(view.image?.pixelWidth == 320)
                #expect(changes == 1)
            }
        }

        @Test func `an image of a KFImage in the middle is decoded to its own size`() async throws {
            var loaded = 0
            let url = bench.serveJPEG("/a.jpg", width: 320, height: 240)
            let image = KFImage(url)
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .onSuccess { _ in loaded += 1 }
            gtk_widget_set_halign(image.widget, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(image.widget, GTK_ALIGN_CENTER)
            let stage = Stage(image.widget, width: 600, height: 500)
            await stage.run { loaded == 1 }
            #expect(image.view.image?.pixelWidth == 320)
        }

        @Test func `a large image in the middle is decoded for the space that there is`()
            async throws
        {
            let view = ImageView()
            gtk_widget_set_halign(view.widget, GTK_ALIGN_CENTER)
            gtk_widget_set_valign(view.widget, GTK_ALIGN_CENTER)
            let stage = Stage(view.widget, width: 256, height: 256)
            let url = bench.serveJPEG("/a.jpg", width: 1_600, height: 1_200)
            let loading = load(url, in: view)
            await stage.run { loading.results.count == 1 }
            #expect(view.image?.pixelWidth == stage.pixels(256))
        }

        @Test func `in a column of its window's width an image is decoded once`() async throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let view = ImageView()
            gtk_box_append(box.asBox, view.widget)
            let stage = Stage(box, width: 256, height: 400)
            await stage.paint()
            var changes = 0
            view.controller.content.onChange = { changes += 1 }
            let loading = load(bench.serveJPEG("/a.jpg", width: 1_600, height: 1_200), in: view)
            await stage.run { loading.results.count == 1 }
            await stage.paint(frames: 20)
            #expect(view.image?.pixelWidth == stage.pixels(256))
            #expect(changes == 1)
        }

        @Test func `in the rows of a foreign list an image is decoded for the list's width`()
            async throws
        {
            let url = bench.serveJPEG("/a.jpg", width: 1_600, height: 1_200)
            let loading = Loading()
            var shown: ImageView?
            var changes = 0
            let factory = UnsafeMutableRawPointer(try #require(gtk_signal_list_item_factory_new()))
            connect(factory, "setup") {
                let view = ImageView()
                shown = view
                view.controller.content.onChange = { changes += 1 }
                gtk_list_item_set_child(OpaquePointer($0), view.widget)
                view.controller.loader.load(url, by: bench.manager, into: loading)
            }
            let strings = gtk_string_list_new(nil)
            gtk_string_list_append(strings, "one")
            let model = gtk_no_selection_new(strings)
            let list = gtk_list_view_new(model, OpaquePointer(factory))
            let window = try #require(gtk_scrolled_window_new())
            gtk_scrolled_window_set_child(OpaquePointer(window), list)
            let stage = Stage(window, width: 256, height: 400)
            await stage.run { loading.results.count == 1 }
            await stage.paint(frames: 20)
            let width = try #require(shown?.image?.pixelWidth)
            #expect((stage.pixels(200)...stage.pixels(256)).contains(width))
            #expect(changes == 1)
        }

        @Test func `on a hidden page an image is decoded for the window`() async throws {
            let stack = OpaquePointer(try #require(gtk_stack_new()))
            let view = ImageView()
            gtk_stack_add_child(stack, gtk_label_new("first"))
            gtk_stack_add_child(stack, view.widget)
            let stage = Stage(stack.asWidget, width: 256, height: 192)
            await stage.paint()
            let loading = load(bench.serveJPEG("/a.jpg", width: 1_600, height: 1_200), in: view)
            await stage.run { loading.results.count == 1 }
            #expect(view.image?.pixelWidth == stage.pixels(256))
            gtk_stack_set_visible_child(stack, view.widget)
            await stage.paint(frames: 20)
            #expect(view.image?.pixelWidth == stage.pixels(256))
        }

        @Test func `an image is reduced when its view gets a window`() async throws {
            let view = ImageView()
            let loading = load(bench.serveJPEG("/a.jpg", width: 1_600, height: 1_200), in: view)
            await Stage.run { loading.results.count == 1 }
            #expect(view.image?.pixelWidth == 1_600)
            let stage = Stage(view.widget, width: 256, height: 192)
            await stage.run { view.image?.pixelWidth == stage.pixels(256) }
            #expect(bench.server.requests.count == 1)
        }

        // MARK: Resizing

        @Test func `windows of nearly the same size share cached images`() async throws {
            let url = bench.serveJPEG("/a.jpg", width: 1_600, height: 1_200)
            let first = ImageView()
            let stage = Stage(first.widget, width: 200, height: 160)
            let loaded = load(url, in: first)
            await stage.run { loaded.results.count == 1 }
            let second = ImageView()
            let other = Stage(second.widget, width: 230, height: 170)
            await other.paint()
            let again = load(url, in: second)
            #expect(again.results.count == 1)
            #expect(second.image === first.image)
        }

        @Test func `a drag is waited for, and decodes once`() async throws {
            let view = ImageView()
            let (box, stage) = try boxFilled(by: view, side: 60)
            let loading = load(bench.serveJPEG("/a.jpg", width: 1_600, height: 1_600), in: view)
            await stage.run { loading.results.count == 1 }
            var changes = 0
            view.controller.content.onChange = { changes += 1 }
            let usual = ViewLoader.rest
            defer { ViewLoader.rest = usual }
            var resting: [CheckedContinuation<Void, Never>] = []
            ViewLoader.rest = { _ in
                await withCheckedContinuation { resting.append($0) }
            }
            for half in [100...500, 600...900] {
                for side in stride(from: half.lowerBound, through: half.upperBound, by: 100) {
                    gtk_widget_set_size_request(box, Int32(side), Int32(side))
                    await stage.run { gtk_widget_get_width(view.widget) == side }
                    await stage.paint()
                    #expect(resting.count == 1)
                }
                // The size has changed meanwhile, so the delay starts again.
                resting.popLast()?.resume()
                await stage.run { resting.count == 1 }
            }
            #expect(changes == 0)
            resting.popLast()?.resume()
            await stage.run { changes == 1 }
            #expect(view.image?.pixelWidth == min(1_600, stage.pixels(1_024)))
        }

        @Test(arguments: [true, false])
        func `an image that the program sets is not replaced by a larger version of the one before`(
            isPaintable: Bool
        ) async throws {
            let view = ImageView()
            let (box, stage) = try boxFilled(by: view, side: 60)
            let file = TestImage.jpeg(width: 1_600, height: 1_600)
            let gate = ServerGate()
            bench.server.route("/a.jpg") { [bench] _ in
                bench.server.requests.count < 2
                    ? .body(file, type: "image/jpeg") : .gated(file, at: [(0, gate)])
            }
            let loading = load(bench.server.url("/a.jpg"), in: view)
            await stage.run { loading.results.count == 1 }
            let first = try #require(view.image)
            await bench.cache.clearCache()
            gtk_widget_set_size_request(box, 300, 300)
            await stage.run { bench.server.requests.count == 2 }
            let own = KFCrossPlatformImage.solid(.pureRed)
            let paintable = try #require(own.texture)
            if isPaintable {
                gtk_picture_set_paintable(view.gtkPicture, OpaquePointer(paintable.address))
            } else {
                view.image = own
            }
            gate.open()
            await stage.run { view.kf.taskIdentifier == nil }
            #expect(view.image === (isPaintable ? first : own))
            #expect(
                gtk_picture_get_paintable(view.gtkPicture)
                    == (isPaintable ? OpaquePointer(paintable.address) : view.paintable)
            )
        }

        @Test func `a larger version leaves the indicator of a superseded load alone`()
            async throws
        {
            let view = ImageView()
            let (box, stage) = try boxFilled(by: view, side: 60)
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            var told: [Bool] = []
            view.kf.indicator = .custom { told.append($0) }
            let slow = load(bench.server.url("/slow.jpg"), in: view)
            await stage.run { bench.server.requests.count == 1 }
            let quick = load(bench.serveJPEG("/a.jpg", width: 1_600, height: 1_600), in: view)
            await stage.run { quick.results.count == 1 }
            gtk_widget_set_size_request(box, 300, 300)
            let width = view.image?.pixelWidth
            await stage.run { view.image?.pixelWidth != width }
            #expect(told == [true])
            gate.open()
            await stage.run { slow.results.count == 1 }
            #expect(told == [true, false])
        }

        @Test func `a larger version that arrives when the view is out of sight is not shown`()
            async throws
        {
            let view = ImageView()
            view.kf.loadStart = .whenVisible
            let (box, stage) = try boxFilled(by: view, side: 60)
            let file = TestImage.jpeg(width: 1_600, height: 1_600)
            let gate = ServerGate()
            bench.server.route("/a.jpg") { [bench] _ in
                bench.server.requests.count == 2
                    ? .gated(file, at: [(0, gate)]) : .body(file, type: "image/jpeg")
            }
            let loading = load(bench.server.url("/a.jpg"), in: view)
            await stage.run { loading.results.count == 1 }
            await bench.cache.clearCache()
            gtk_widget_set_size_request(box, 300, 300)
            await stage.run { bench.server.requests.count == 2 }
            gtk_widget_set_visible(view.widget, 0)
            await stage.run { view.image == nil }
            gate.open()
            await stage.run { view.kf.taskIdentifier == nil }
            #expect(view.image == nil)
            gtk_widget_set_visible(view.widget, 1)
            await stage.run { view.image != nil }
        }

        // MARK: Animations

        @Test func `an own animation is decoded again when its view grows`() async throws {
            let image = KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
                source: SquareFrames(side: 200),
                options: ImageCreatingOptions()
            )
            let view = AnimatedPictureView()
            let (box, stage) = try boxFilled(by: view, side: 50)
            stage.setAnimations(enabled: true)
            await stage.paint()
            view.image = image
            let shown = { view.controller.content.animation.shownFrame?.pixelWidth }
            await stage.run { shown() == stage.pixels(64) }
            gtk_widget_set_size_request(box, 300, 300)
            await stage.run { shown() == 200 }
        }

        @Test func `turning animations off stops them at once, turning them on resumes them`()
            async throws
        {
            let view = AnimatedPictureView()
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            let stage = Stage(view.widget)
            stage.setAnimations(enabled: true)
            defer { stage.setAnimations(enabled: true) }
            await stage.run { view.isAnimating }
            stage.setAnimations(enabled: false)
            #expect(!view.isAnimating)
            stage.setAnimations(enabled: true)
            #expect(view.isAnimating)
        }

        @Test func `a pause outlasts hiding and the setting`() async throws {
            let view = AnimatedPictureView()
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            let stage = Stage(view.widget)
            stage.setAnimations(enabled: true)
            defer { stage.setAnimations(enabled: true) }
            await stage.run { view.isAnimating }
            view.stopAnimating()
            gtk_widget_set_visible(view.widget, 0)
            await stage.run { !view.controller.sight.isInSight }
            gtk_widget_set_visible(view.widget, 1)
            await stage.run { view.controller.sight.isInSight }
            #expect(!view.isAnimating)
            stage.setAnimations(enabled: false)
            stage.setAnimations(enabled: true)
            #expect(!view.isAnimating)
            view.startAnimating()
            #expect(view.isAnimating)
        }

        // MARK: Helpers

        /// A box of a requested size on a stage as small as that, filled by a view without a natural
        /// size, so that the view grows with the box.
        private func boxFilled(
            by view: ImageView,
            side: Int32
        ) throws -> (box: UnsafeMutablePointer<GtkWidget>, stage: Stage) {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            view.hasNaturalSize = false
            gtk_widget_set_hexpand(view.widget, 1)
            gtk_widget_set_vexpand(view.widget, 1)
            gtk_box_append(box.asBox, view.widget)
            gtk_widget_set_size_request(box, side, side)
            return (box, Stage(box, width: side, height: side))
        }

        private func load(_ url: URL, in view: ImageView) -> Loading {
            let loading = Loading()
            view.controller.loader.load(url, by: bench.manager, into: loading)
            return loading
        }
    }
}

/// Two frames that are decoded to any size.
nonisolated private struct SquareFrames: ImageFrameSource {
    let side: Int

    var data: Data? { nil }
    var frameCount: Int { 2 }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        let wanted = min(side, maxSize.map { Int($0.width) } ?? side)
        let pixels = Data(repeating: index == 0 ? 255 : 128, count: wanted * wanted * 4)
        return KFCrossPlatformImage(premultipliedRGBA: pixels, width: wanted, height: wanted)
    }

    func duration(at index: Int) -> TimeInterval { 0.02 }
}
#endif
