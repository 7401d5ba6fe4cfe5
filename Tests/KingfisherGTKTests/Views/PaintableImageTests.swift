#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    @Suite(.timeLimit(.minutes(1)))
    struct PaintableImageTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        private var options: KingfisherOptionsInfo {
            [.targetCache(bench.cache), .downloader(bench.downloader)]
        }

        @Test func `a GtkImage shows its paintable's load, also after the handle is released`()
            async throws
        {
            let green = KFCrossPlatformImage.solid(.pureGreen, width: 400, height: 400)
            let png = try #require(green.kf.pngRepresentation())
            bench.server.route("/green.png", .body(png, type: "image/png"))
            let widget = try #require(gtk_image_new())
            gtk_image_set_pixel_size(OpaquePointer(widget), 120)
            var sizes: [Int] = []
            do {
                let image = PaintableImage(size: CGSize(width: 120, height: 120))
                image.show(in: UnsafeMutableRawPointer(widget))
                image.kf.setImage(with: bench.server.url("/green.png"), options: options) {
                    if case .success(let value) = $0 { sizes.append(value.image.pixelWidth) }
                }
            }
            let stage = Stage(widget)
            await stage.run { sizes == [120] }
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
        }

        @Test func `a paintable that no widget shows stops its load`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            let loading = Loading()
            do {
                let image = PaintableImage()
                image.kf.setImage(with: bench.server.url("/slow.jpg"), options: options) {
                    loading.results.append($0)
                }
                await bench.server.received(1)
            }
            await Stage.run { loading.results.count == 1 }
            #expect(try loading.error().isCancellation)
            await bench.server.abandoned(1)
        }

        @Test func `of two loads of a paintable the last is shown`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            let image = PaintableImage()
            let (slow, quick) = (Loading(), Loading())
            image.kf.setImage(with: bench.server.url("/slow.jpg"), options: options) {
                slow.results.append($0)
            }
            let url = bench.serveJPEG("/quick.jpg", width: 50, height: 20)
            image.kf.setImage(with: url, options: options) { quick.results.append($0) }
            await Stage.run { quick.results.count == 1 }
            gate.open()
            await Stage.run { slow.results.count == 1 }
            #expect(try slow.error().isNotCurrentTask)
            #expect(image.kf.image?.pixelWidth == 50)
            #expect(gdk_paintable_get_intrinsic_width(image.paintable) == 50)
        }

        @Test func `a paintable follows the density of its widget's screen`() async throws {
            let before = ViewSizing.readDensity
            defer { ViewSizing.readDensity = before }
            ViewSizing.readDensity = { _ in 1.25 }
            let url = bench.serveJPEG("/a.jpg", width: 500, height: 500)
            let widget = try #require(gtk_image_new())
            let image = PaintableImage(size: CGSize(width: 80, height: 80))
            image.show(in: UnsafeMutableRawPointer(widget))
            image.kf.setImage(with: url, options: options)
            let stage = Stage(widget)
            await stage.run { image.kf.image?.pixelWidth == 100 }
            // The window moves to another screen.
            ViewSizing.readDensity = { _ in 2 }
            gtk_widget_queue_resize(widget)
            await stage.run { image.kf.image?.pixelWidth == 160 }
            #expect(gdk_paintable_get_intrinsic_width(image.paintable) == 80)
        }

        @Test func `a load that began on another screen is repeated for the present one`()
            async throws
        {
            let before = ViewSizing.readDensity
            defer { ViewSizing.readDensity = before }
            ViewSizing.readDensity = { _ in 1 }
            let gate = ServerGate()
            let file = TestImage.jpeg(width: 500, height: 500)
            bench.server.route("/slow.jpg", .gated(file, at: [(0, gate)]))
            let widget = try #require(gtk_image_new())
            let image = PaintableImage(size: CGSize(width: 80, height: 80))
            image.show(in: UnsafeMutableRawPointer(widget))
            var ends = 0
            image.kf.setImage(with: bench.server.url("/slow.jpg"), options: options) { _ in
                ends += 1
            }
            let stage = Stage(widget)
            await stage.run { bench.server.requests.count == 1 }
            ViewSizing.readDensity = { _ in 2 }
            gtk_widget_queue_resize(widget)
            await stage.run { image.state.density == 2 }
            gate.open()
            await stage.run { image.kf.image?.pixelWidth == 160 }
            #expect(ends == 1)
        }

        @Test func `an own image is not replaced on another screen`() async throws {
            let before = ViewSizing.readDensity
            defer { ViewSizing.readDensity = before }
            ViewSizing.readDensity = { _ in 1 }
            let url = bench.serveJPEG("/a.jpg", width: 500, height: 500)
            let widget = try #require(gtk_image_new())
            let image = PaintableImage(size: CGSize(width: 80, height: 80))
            image.show(in: UnsafeMutableRawPointer(widget))
            image.kf.setImage(with: url, options: options)
            let stage = Stage(widget)
            await stage.run { image.kf.image != nil }
            let own = KFCrossPlatformImage.solid(.pureRed)
            image.kf.image = own
            ViewSizing.readDensity = { _ in 2 }
            gtk_widget_queue_resize(widget)
            await stage.run { image.state.density == 2 }
            await stage.run { image.kf.taskIdentifier == nil }
            #expect(image.kf.image === own)
        }

        @Test func `an animation plays in its widget while it is seen`() async throws {
            let widget = try #require(gtk_image_new())
            gtk_image_set_pixel_size(OpaquePointer(widget), 40)
            let image = PaintableImage()
            image.show(in: UnsafeMutableRawPointer(widget))
            image.kf.image = .frames([.pureRed, .pureGreen, .pureBlue], each: 0.1)
            let stage = Stage(widget)
            var seen: Set<String> = []
            await stage.run {
                if let color = stage.capture()?.center {
                    if color.isNear(.pureRed) { seen.insert("red") }
                    if color.isNear(.pureGreen) { seen.insert("green") }
                    if color.isNear(.pureBlue) { seen.insert("blue") }
                }
                return seen.count == 3
            }
        }

        @Test func `a paintable has its own size whatever the image`() async throws {
            let image = PaintableImage(size: CGSize(width: 40, height: 40), fit: .cover)
            #expect(gdk_paintable_get_intrinsic_width(image.paintable) == 40)
            let url = bench.serveJPEG("/wide.jpg", width: 400, height: 300)
            var isLoaded = false
            image.kf.setImage(with: url, options: options) { _ in
                isLoaded = true
                LoopEvents.wake()
            }
            await Stage.run { isLoaded }
            #expect(image.kf.image?.pixelHeight == 40)
            #expect(gdk_paintable_get_intrinsic_width(image.paintable) == 40)
            #expect(gdk_paintable_get_intrinsic_height(image.paintable) == 40)
            #expect(gdk_paintable_get_intrinsic_aspect_ratio(image.paintable) == 1)
        }

        @Test func `a property is null until there is an image, and after a failure`()
            async throws
        {
            let url = bench.serveJPEG("/a.jpg")
            let widget = try #require(gtk_image_new())
            let owner = GObjectReference(retaining: UnsafeMutableRawPointer(widget))
            var shown: OpaquePointer? { gtk_image_get_paintable(OpaquePointer(widget)) }
            let loading = Loading()
            var image: PaintableImage? = PaintableImage(size: CGSize(width: 40, height: 40))
            let paintable = image?.paintable
            image?.show(in: owner.address, onlyLoaded: true)
            #expect(shown == nil)
            image?.kf.setImage(with: url, options: options) { loading.results.append($0) }
            #expect(shown == nil)
            weak let state = image?.state
            // The load belongs to the widget, although it does not show the paintable yet.
            image = nil
            await Stage.run { loading.results.count == 1 }
            #expect(shown == paintable)
            _ = state?.loader.load(
                .network(bench.server.url("/missing.jpg")),
                placeholder: .solid(.pureRed),
                options: KingfisherParsedOptionsInfo(nil),
                by: bench.manager,
                progress: nil,
                completion: { loading.results.append($0) }
            )
            #expect(shown == paintable)
            await Stage.run { loading.results.count == 2 }
            #expect(shown == nil)
            state?.loader.setImage(.solid(.pureGreen))
            #expect(shown == paintable)
        }

        @Test func `an animation of several widgets plays while one of them is visible`()
            async throws
        {
            let stack = try #require(gtk_stack_new())
            let (hidden, visible) = (try #require(gtk_image_new()), try #require(gtk_image_new()))
            for widget in [visible, hidden] { gtk_stack_add_child(OpaquePointer(stack), widget) }
            let image = PaintableImage()
            for widget in [hidden, visible] { image.show(in: UnsafeMutableRawPointer(widget)) }
            image.kf.image = .frames([.pureRed, .pureGreen], each: 0.05)
            let stage = Stage(stack)
            await play(image, on: stage)
            gtk_stack_set_visible_child(OpaquePointer(stack), hidden)
            await stage.paint()
            await play(image, on: stage)
            // The first widget ends, and the others are followed on.
            gtk_stack_set_visible_child(OpaquePointer(stack), visible)
            gtk_stack_remove(OpaquePointer(stack), hidden)
            await stage.paint()
            await play(image, on: stage)
        }

        /// Waits until the paintable has shown two frames.
        private func play(_ image: PaintableImage, on stage: Stage) async {
            var seen: Set<OpaquePointer> = []
            await stage.run {
                if let now = gdk_paintable_get_current_image(image.paintable) {
                    seen.insert(now)
                    g_object_unref(UnsafeMutableRawPointer(now))
                }
                return seen.count > 1
            }
        }

        @Test func `an image makes a texture of its pixels`() throws {
            let image = KFCrossPlatformImage.solid(.pureRed, width: 30, height: 20)
            let texture = try #require(image.kf.makeTexture())
            defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
            #expect(gdk_texture_get_width(texture) == 30)
            #expect(gdk_texture_get_height(texture) == 20)
            var pixels = [UInt8](repeating: 0, count: 30 * 20 * 4)
            gdk_texture_download(texture, &pixels, 30 * 4)
            #expect(Array(pixels.prefix(4)) == [0, 0, 255, 255])
        }
    }
}
#endif
