#if GTK
import CGTK
import Foundation
import Kingfisher
import Pixels
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
