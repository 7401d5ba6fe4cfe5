#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The loads of a view that enlarges its image, which are those of every view.
    @Suite(.timeLimit(.minutes(1)))
    struct ZoomLoadingTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test func `an image arrives while its view has no size, and is shown when it has one`()
            async throws
        {
            let url = bench.serveJPEG("/a.jpg", width: 400, height: 300)
            let stack = try #require(gtk_stack_new())
            let view = KFZoomView()
            gtk_stack_add_child(OpaquePointer(stack), gtk_label_new(nil))
            gtk_stack_add_child(OpaquePointer(stack), view.widget)
            let stage = Stage(stack)
            await stage.paint()
            let loading = Sizes()
            load(url, in: view, loading)
            await stage.run { loading.results.count == 1 }
            #expect(try loading.results[0].get() == CGSize(width: 400, height: 300))
            // Nothing is sharpened, and nothing divided by the length 0.
            _ = view.state.geometry.detail
            gtk_stack_set_visible_child(OpaquePointer(stack), view.widget)
            await stage.run { view.state.geometry.view.width > 0 }
            #expect(view.state.geometry.place.width <= 200)
        }

        @Test func `a load of nothing ends once`() throws {
            let view = KFZoomView()
            let loading = Sizes()
            view.setImage(with: nil as URL?) { loading.results.append($0) }
            let error = try loading.error()
            guard case .imageSettingError(reason: .emptySource) = error else {
                Issue.record("\(error)")
                return
            }
        }

        @Test func `a load ends once with its view`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            let loading = Sizes()
            weak var state: ZoomState?
            do {
                let view = KFZoomView()
                state = view.state
                let stage = Stage(view.widget)
                await stage.paint()
                load(bench.server.url("/slow.jpg"), in: view, loading)
                await bench.server.received(1)
                stage.close()
            }
            await Stage.run { state == nil && !loading.results.isEmpty }
            #expect(try loading.error().isCancellation)
            gate.open()
        }

        @Test func `a placeholder fills the view until the image is loaded`() async throws {
            let gate = ServerGate()
            let green = KFCrossPlatformImage.solid(.pureGreen, width: 400, height: 400)
            let png = try #require(green.kf.pngRepresentation())
            bench.server.route("/green.png", .gated(png, at: [(0, gate)]))
            let view = KFZoomView()
            let stage = Stage(view.widget, width: 100, height: 100)
            await stage.paint()
            let loading = Sizes()
            load(bench.server.url("/green.png"), in: view, loading, placeholder: .solid(.pureRed))
            await stage.paint()
            let waiting = try #require(stage.capture())
            #expect(waiting.center.isNear(.pureRed))
            #expect(waiting[3, 3].isNear(.pureRed))
            #expect(view.state.geometry.image == .zero)
            gate.open()
            await stage.run { loading.results.count == 1 }
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
        }

        @Test func `a failure has a reason, and a retry shows the image`() async throws {
            let view = KFZoomView()
            let stage = Stage(view.widget)
            await stage.paint()
            let loading = Sizes()
            let url = bench.server.url("/a.jpg")
            load(url, in: view, loading)
            await stage.run { loading.results.count == 1 }
            let failure = try #require(view.kf.failure)
            #expect(failure.isInvalidResponseStatusCode)
            #expect(view.state.controller.status.failure?.failureReason == failure.failureReason)
            bench.serveJPEG("/a.jpg", width: 400, height: 300)
            view.kf.retry()
            await stage.run { view.state.geometry.image == CGSize(width: 400, height: 300) }
            #expect(view.kf.failure == nil)
        }

        @Test func `an animation plays, and is not covered by a still part`() async throws {
            let view = KFZoomView()
            view.kf.image = .frames([.pureRed, .pureGreen, .pureBlue], each: 0.1)
            let stage = Stage(view.widget)
            var seen: Set<String> = []
            await stage.run {
                if let color = stage.capture()?.center {
                    if color.isNear(.pureRed) { seen.insert("red") }
                    if color.isNear(.pureGreen) { seen.insert("green") }
                    if color.isNear(.pureBlue) { seen.insert("blue") }
                }
                return seen.count == 3
            }
            view.zoom = 4
            #expect(view.state.detail == nil)
        }

        private func load(
            _ url: URL,
            in view: KFZoomView,
            _ loading: Sizes,
            placeholder: KFCrossPlatformImage? = nil
        ) {
            view.state.load(.network(url), placeholder: placeholder, [], by: bench.manager) {
                loading.results.append($0)
            }
        }
    }
}

/// Records the results of loads.
private final class Sizes {
    var results: [Result<CGSize, any Error>] = [] {
        didSet { LoopEvents.wake() }
    }

    func error() throws -> KingfisherError {
        try #require(results.count == 1)
        return try #require(throws: KingfisherError.self) { try results[0].get() }
    }
}
#endif
