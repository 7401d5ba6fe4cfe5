#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// A view that enlarges its image.
    @Suite(.timeLimit(.minutes(1)))
    struct ZoomTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        // MARK: Geometry

        private func geometry(
            _ width: CGFloat,
            _ height: CGFloat,
            density: CGFloat = 1
        ) -> ZoomGeometry {
            var geometry = ZoomGeometry()
            geometry.resize(to: CGSize(width: 200, height: 100), density: density)
            geometry.image = CGSize(width: width, height: height)
            return geometry
        }

        @Test func `the whole image is shown first, and not enlarged`() {
            #expect(geometry(2_000, 500).place == CGRect(x: 0, y: 25, width: 200, height: 50))
            #expect(geometry(20, 10).place == CGRect(x: 90, y: 45, width: 20, height: 10))
            let dense = geometry(20, 10, density: 2)
            #expect(dense.place == CGRect(x: 95, y: 47.5, width: 10, height: 5))
        }

        @Test func `the point under the pointer stays in place`() {
            var geometry = geometry(4_000, 2_000)
            for anchor in [CGPoint(x: 150, y: 30), CGPoint(x: 10, y: 90)] {
                let before = geometry.imagePoint(at: anchor)
                geometry.zoom(by: 3, at: anchor)
                let after = geometry.imagePoint(at: anchor)
                #expect(abs(after.x - before.x) < 1e-6)
                #expect(abs(after.y - before.y) < 1e-6)
            }
        }

        @Test func `the zoom ends at eight pixels for one, and at the whole image`() {
            var geometry = geometry(4_000, 2_000)
            for _ in 0..<40 { geometry.zoom(by: 2, at: CGPoint(x: 50, y: 50)) }
            #expect(geometry.scale == 8)
            for _ in 0..<40 { geometry.zoom(by: 0.5, at: CGPoint(x: 50, y: 50)) }
            #expect(geometry.isFitted)
            #expect(geometry.place == CGRect(x: 0, y: 0, width: 200, height: 100))
        }

        @Test func `the image cannot be moved out of the view`() {
            var geometry = geometry(400, 200)
            geometry.zoom(to: 1, at: CGPoint(x: 100, y: 50))
            geometry.move(by: 10_000, 10_000)
            #expect(geometry.origin == .zero)
            geometry.move(by: -10_000, -10_000)
            #expect(geometry.origin == CGPoint(x: -200, y: -100))
            geometry.move(by: .nan, .infinity)
            #expect(geometry.origin == CGPoint(x: -200, y: -100))
        }

        @Test func `a view that changes its size keeps the point in its centre`() {
            var geometry = geometry(4_000, 2_000)
            geometry.zoom(to: 1, at: CGPoint(x: 150, y: 30))
            let before = geometry.imagePoint(at: CGPoint(x: 100, y: 50))
            geometry.resize(to: CGSize(width: 300, height: 200), density: 1)
            let after = geometry.imagePoint(at: CGPoint(x: 150, y: 100))
            #expect(abs(after.x - before.x) < 1e-6)
            #expect(abs(after.y - before.y) < 1e-6)
            geometry.fit()
            geometry.resize(to: CGSize(width: 400, height: 100), density: 1)
            #expect(geometry.place.height == 100)
        }

        @Test func `a detail is the visible part and some pixels around it`() {
            var geometry = geometry(4_000, 2_000)
            geometry.zoom(to: 0.5, at: CGPoint(x: 100, y: 50))
            let detail = geometry.detail
            #expect(detail.whole == CGSize(width: 2_000, height: 1_000))
            #expect(detail.visible.size == CGSize(width: 200, height: 100))
            #expect(detail.part.contains(detail.visible))
            #expect(detail.part.width <= 304)
            // Never more pixels than the file has.
            geometry.zoom(to: 4, at: CGPoint(x: 100, y: 50))
            #expect(geometry.detail.whole == geometry.image)
        }

        @Test func `absurd values leave a valid place`() {
            var geometry = geometry(4_000, 2_000)
            for value in [CGFloat.nan, .infinity, -1, 0, 1e300] {
                geometry.zoom(by: value, at: CGPoint(x: value, y: value))
                geometry.resize(to: CGSize(width: 200, height: 100), density: value)
                #expect(geometry.scale > 0 && geometry.scale.isFinite)
                #expect(geometry.origin.x.isFinite && geometry.origin.y.isFinite)
            }
        }

        // MARK: The view

        /// A quarter of each colour, 1200 × 800 pixels.
        private func serveQuarters() throws -> URL {
            let quarters: [RGBA] = [.pureRed, .pureGreen, .pureBlue, .black]
            var pixels = Data(capacity: 1_200 * 800 * 4)
            for y in 0..<800 {
                for x in 0..<1_200 {
                    let color = quarters[(y / 400) * 2 + x / 600]
                    pixels.append(contentsOf: [color.red, color.green, color.blue, 255])
                }
            }
            let image = try #require(
                KFCrossPlatformImage(premultipliedRGBA: pixels, width: 1_200, height: 800)
            )
            let png = try #require(image.kf.pngRepresentation())
            bench.server.route("/quarters.png", .body(png, type: "image/png"))
            return bench.server.url("/quarters.png")
        }

        @Test func `the visible part sharpens and keeps its place`() async throws {
            let url = try serveQuarters()
            let view = KFZoomView()
            let stage = Stage(view.widget, width: 300, height: 200)
            await stage.paint()
            var sizes: [CGSize] = []
            view.state.load(.network(url), [], by: bench.manager) {
                if case .success(let size) = $0 { sizes.append(size) }
            }
            await stage.run { sizes.count == 1 }
            #expect(sizes == [CGSize(width: 1_200, height: 800)])
            await stage.paint()
            let whole = try #require(stage.capture())
            #expect(whole[75, 50].isNear(.pureRed))
            #expect(whole[225, 50].isNear(.pureGreen))
            #expect(whole[75, 150].isNear(.pureBlue))
            var zooms: [Double] = []
            view.onZoomChange = { zooms.append($0) }
            view.zoom = 1
            #expect(zooms == [1])
            await stage.paint(frames: 1)
            let coarse = try #require(stage.capture())
            await stage.run { view.state.detail != nil }
            await stage.paint()
            let sharp = try #require(stage.capture())
            for (x, y) in [(100, 50), (200, 50), (100, 150)] {
                #expect(sharp[x, y].isNear(coarse[x, y]))
            }
            // The edge is a pixel wide, where it was several.
            #expect(sharp[149, 50].isNear(.pureRed))
            #expect(sharp[150, 50].isNear(.pureGreen))
            #expect(!coarse[149, 50].isNear(.pureRed) || !coarse[150, 50].isNear(.pureGreen))
            // Of the file only the visible part and what surrounds it was decoded.
            #expect(view.state.detail?.part.width ?? 0 <= Double(stage.pixels(304)) * 1.5)
            view.zoomToFit()
            // It has no more pixels than the whole image then.
            await stage.run { view.state.detail == nil }
            #expect(abs((zooms.last ?? 0) - Double(stage.pixels(300)) / 1_200) < 1e-6)
        }

        @Test func `a zoom that changes with the size of the view is reported`() async throws {
            let url = try serveQuarters()
            let view = KFZoomView()
            gtk_widget_set_size_request(view.widget, 150, 100)
            let stage = Stage(view.widget, width: 150, height: 100)
            var zooms: [Double] = []
            view.onZoomChange = {
                zooms.append($0)
                LoopEvents.wake()
            }
            var isShown = false
            view.state.load(.network(url), [], by: bench.manager) { _ in isShown = true }
            await stage.run { isShown }
            await stage.paint()
            await stage.run { zooms.last == view.zoom }
            let small = view.zoom
            gtk_widget_set_size_request(view.widget, 300, 200)
            await stage.run { view.zoom > small && zooms.last == view.zoom }
            // The whole image is shown, and no event is repeated.
            #expect(abs(view.zoom - Double(stage.pixels(300)) / 1_200) < 1e-6)
            #expect(zip(zooms, zooms.dropFirst()).allSatisfy { $0 != $1 })
        }

        @Test func `a translucent part is not painted over the whole image`() async throws {
            let (width, height) = (1_200, 800)
            let pixels = Data(repeating: 128, count: width * height * 4)
            let image = try #require(
                KFCrossPlatformImage(premultipliedRGBA: pixels, width: width, height: height)
            )
            let png = try #require(image.kf.pngRepresentation())
            bench.server.route("/glass.png", .body(png, type: "image/png"))
            let view = KFZoomView()
            let stage = Stage(view.widget, width: 300, height: 200)
            await stage.paint()
            var isShown = false
            view.state.load(.network(bench.server.url("/glass.png")), [], by: bench.manager) { _ in
                isShown = true
            }
            await stage.run { isShown }
            await stage.paint()
            let whole = try #require(stage.capture()).center
            view.zoom = 1
            await stage.run { view.state.detail != nil }
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(whole))
        }

        @Test func `what cairo paints is converted once`() async throws {
            let url = try serveQuarters()
            let view = KFZoomView()
            TextureRenderer.isCairo = false
            let stage = Stage(view.widget, width: 300, height: 200)
            await stage.paint()
            var isShown = false
            view.state.load(.network(url), [], by: bench.manager) { _ in isShown = true }
            await stage.run { isShown }
            let shown = gtk_picture_get_paintable(OpaquePointer(view.state.picture))
            let current = try #require(gdk_paintable_get_current_image(shown))
            let texture = UnsafeMutableRawPointer(current)
            defer { g_object_unref(texture) }
            let object = texture.assumingMemoryBound(to: GObject.self)
            let isConverted = g_object_get_data(object, "kingfisher-surface") != nil
            #expect(isConverted == kf_widget_is_painted_by_cairo(view.state.picture))
        }

        @Test func `the last image that is set is shown, and a failure is reported`() async throws {
            let url = try serveQuarters()
            let view = KFZoomView()
            let stage = Stage(view.widget, width: 300, height: 200)
            var results: [String] = []
            view.state.load(.network(bench.server.url("/none")), [], by: bench.manager) {
                if case .failure(let error as KingfisherError) = $0, error.isNotCurrentTask {
                    results.append("superseded")
                }
            }
            bench.server.route("/missing", .status(404))
            let missing = bench.server.url("/missing")
            view.state.load(.network(missing), [], by: bench.manager) {
                if case .failure = $0 { results.append("failed") }
            }
            await stage.run { results.count == 2 }
            #expect(results.sorted() == ["failed", "superseded"])
            view.state.load(.network(url), [], by: bench.manager) { _ in results.append("shown") }
            await stage.run { results.last == "shown" }
            view.setImage(with: nil as URL?)
            #expect(view.state.geometry.image == .zero)
            #expect(results.count == 3)
        }

        @Test func `a view that is emptied while it loads is not busy`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            let view = KFZoomView()
            let stage = Stage(view.widget)
            await stage.paint()
            let status = view.state.controller.status
            view.state.load(.network(bench.server.url("/slow.jpg")), [], by: bench.manager, nil)
            #expect(status.isBusy)
            view.setImage(with: nil as URL?)
            gate.open()
            await stage.run { !status.isBusy }
            #expect(view.kf.image == nil)
        }

        @Test func `an image as large as the one before is shown as a whole, too`() async throws {
            let url = try serveQuarters()
            let view = KFZoomView()
            let stage = Stage(view.widget, width: 300, height: 200)
            await stage.paint()
            var shown = 0
            view.state.load(.network(url), [], by: bench.manager) { _ in shown += 1 }
            await stage.run { shown == 1 }
            let whole = view.zoom
            view.zoom = 1
            await stage.run { view.state.detail != nil }
            view.state.load(.network(url), [], by: bench.manager) { _ in shown += 1 }
            await stage.run { shown == 2 }
            #expect(view.zoom == whole)
            #expect(view.state.detail == nil)
        }

        @Test func `a view ends while a part of its image is downloaded`() async throws {
            let url = try serveQuarters()
            weak var state: ZoomState?
            do {
                let view = KFZoomView()
                state = view.state
                let stage = Stage(view.widget, width: 300, height: 200)
                await stage.paint()
                var isShown = false
                view.state.load(.network(url), [], by: bench.manager) { _ in isShown = true }
                await stage.run { isShown }
                await bench.cache.clearCache()
                let gate = ServerGate()
                bench.server.route("/quarters.png", .gated(TestImage.png(), at: [(0, gate)]))
                view.zoom = 1
                await stage.run { bench.server.requests.count == 2 }
                stage.close()
            }
            await Stage.run { state == nil }
        }

        @Test func `a view that ends while it sharpens leaves nothing`() async throws {
            let url = try serveQuarters()
            weak var state: ZoomState?
            do {
                let view = KFZoomView()
                state = view.state
                let stage = Stage(view.widget, width: 300, height: 200)
                var isShown = false
                view.state.load(.network(url), [], by: bench.manager) { _ in isShown = true }
                await stage.run { isShown }
                view.zoom = 1
                stage.close()
            }
            await Stage.run { state == nil }
        }
    }
}
#endif
