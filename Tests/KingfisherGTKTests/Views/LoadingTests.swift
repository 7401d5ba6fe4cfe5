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
    struct LoadingTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        // MARK: Showing

        @Test func `a loaded image is painted and the completion called once`() async throws {
            let view = ImageView()
            let stage = Stage(view.widget)
            let loading = start(bench.serveJPEG("/a.jpg"), in: view)
            await stage.run { loading.results.count == 1 }
            await stage.paint()
            #expect(try loading.value().cacheType == .none)
            #expect(view.image === (try loading.value().image))
            let shown = try #require(stage.capture())
            #expect(shown.count(differingFrom: shown[2, 2]) > 500)
        }

        @Test func `an image in memory is there when the call returns`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            let url = bench.serveJPEG("/a.jpg")
            let first = start(url, in: view)
            await Stage.run { first.results.count == 1 }
            let second = ImageView()
            second.setSizeRequest(width: 60, height: 40)
            let again = start(url, in: second)
            #expect(again.results.count == 1)
            #expect(second.image != nil)
            #expect(try again.value().cacheType == .memory)
        }

        @Test func `an image in memory is in the first frame of a new window`() async throws {
            let url = bench.serveJPEG("/a.jpg")
            let first = ImageView()
            let stage = Stage(first.widget, width: 80, height: 60)
            let loaded = start(url, in: first)
            await stage.run { loaded.results.count == 1 }
            let view = ImageView()
            let again = start(url, in: view)
            #expect(again.results.isEmpty)
            let other = Stage(view.widget, width: 80, height: 60)
            let clock = try #require(gtk_widget_get_frame_clock(other.window))
            await other.run { gtk_widget_get_width(view.widget) > 0 }
            #expect(again.results.count == 1)
            #expect(gdk_frame_clock_get_frame_counter(clock) <= 1)
        }

        @Test func `the placeholder stands in until the image is there`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            let stage = Stage(view.widget)
            let gate = ServerGate()
            let url = serve("/slow.jpg", behind: gate)
            let loading = start(url, in: view, placeholder: .solid(.pureGreen))
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
            gate.open()
            await stage.run { loading.results.count == 1 }
            await stage.paint()
            #expect(!(try #require(stage.capture()).center.isNear(.pureGreen)))
        }

        @Test func `the failure image takes the placeholder's place`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            bench.server.route("/gone", .body(Data(), status: 404))
            let stage = Stage(view.widget)
            let loading = start(
                bench.server.url("/gone"),
                in: view,
                placeholder: .solid(.pureGreen),
                options: [.onFailureImage(.solid(.pureRed))]
            )
            await stage.run { loading.results.count == 1 }
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
        }

        @Test func `VW-4: the current image stays during a load, with the option`()
            async throws
        {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            let old = KFCrossPlatformImage.solid(.pureRed)
            view.image = old
            let gate = ServerGate()
            let url = serve("/slow.jpg", behind: gate)
            let loading = start(
                url,
                in: view,
                placeholder: .solid(.pureGreen),
                options: [.keepCurrentImageWhileLoading]
            )
            await bench.server.received(1)
            #expect(view.image === old)
            gate.open()
            await Stage.run { loading.results.count == 1 }
            #expect(view.image === (try loading.value().image))
            start(url, in: view, into: Loading(), placeholder: .solid(.pureGreen))
            #expect(view.image !== old)
        }

        @Test func `VW-13: an image from memory appears without its transition, unless forced`()
            async throws
        {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            let stage = Stage(view.widget)
            await stage.paint()
            let url = bench.serveJPEG("/a.jpg")
            let first = start(url, in: view, options: [.transition(.fade(0.05))])
            await stage.run { view.controller.content.transition != nil }
            #expect(first.results.isEmpty)
            await stage.run { first.results.count == 1 }
            let again = start(url, in: view, options: [.transition(.fade(0.05))])
            #expect(again.results.count == 1)
            #expect(view.controller.content.transition == nil)
            let forced = start(
                url,
                in: view,
                options: [.transition(.fade(0.05)), .forceTransition]
            )
            #expect(view.controller.content.transition != nil)
            #expect(forced.results.isEmpty)
            await stage.run { forced.results.count == 1 }
        }

        @Test func `VW-19: two views share the download of one URL`() async throws {
            let gate = ServerGate()
            let url = serve("/slow.jpg", behind: gate)
            let views = [ImageView(), ImageView()]
            let loads = views.map { view in
                view.setSizeRequest(width: 60, height: 40)
                return start(url, in: view)
            }
            await bench.server.received(1)
            gate.open()
            await Stage.run { loads.allSatisfy { $0.results.count == 1 } }
            #expect(bench.server.requests.count == 1)
            #expect(views.allSatisfy { $0.image != nil })
        }

        @Test func `an image arrives with its texture`() async throws {
            let image = KFCrossPlatformImage.solid(.pureRed)
            let modifier = TextureModifier(base: nil)
            await Task.detached { _ = modifier.modify(image) }.value
            // The modifier retains the texture for the view.
            let texture = try #require(image.texture)
            #expect(image.texture?.address == texture.address)
            #expect(referenceCount(of: texture) == 2)
            let options = KingfisherParsedOptionsInfo(nil).givingTexture
            #expect(options.imageModifier is TextureModifier)
            withExtendedLifetime(modifier) {}
        }

        // MARK: Superseding and cancelling

        @Test func `VW-6: a superseded load ends as such and is not shown`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            let gate = ServerGate()
            let slow = start(serve("/slow.jpg", behind: gate), in: view)
            let quick = start(bench.serveJPEG("/quick.jpg", width: 50, height: 20), in: view)
            await Stage.run { quick.results.count == 1 }
            gate.open()
            await Stage.run { slow.results.count == 1 }
            #expect(try slow.error().isNotCurrentTask)
            #expect(view.image === (try quick.value().image))
        }

        @Test func `a load that waits for a size can be superseded and cancelled`() async throws {
            let view = ImageView()
            let first = start(bench.serveJPEG("/a.jpg"), in: view)
            let second = start(bench.serveJPEG("/b.jpg"), in: view)
            #expect(try first.error().isNotCurrentTask)
            view.kf.cancelDownloadTask()
            #expect(try second.error().isCancellation)
            #expect(bench.server.requests.isEmpty)
        }

        @Test func `cancelling gives a cancel error once`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            let gate = ServerGate()
            let loading = start(serve("/slow.jpg", behind: gate), in: view)
            await bench.server.received(1)
            view.kf.cancelDownloadTask()
            await Stage.run { loading.results.count == 1 }
            #expect(try loading.error().isCancellation)
            #expect(view.kf.taskIdentifier == nil)
        }

        @Test func `VW-2: no source gives an error at once`() throws {
            let view = ImageView()
            let loading = Loading()
            view.kf.setImage(with: Source?.none, placeholder: .solid(.pureRed)) {
                loading.results.append($0)
            }
            #expect(loading.results.count == 1)
            #expect(view.image != nil)
        }

        // MARK: Size

        @Test func `an image is decoded to the view's size, and again when it grows`() async throws
        {
            let view = ImageView()
            view.hasNaturalSize = false
            let stage = Stage(view.widget, width: 100, height: 100)
            let loading = start(bench.serveJPEG("/big.jpg", width: 800, height: 400), in: view)
            await stage.run { loading.results.count == 1 }
            // The next power of √2 above 100.
            #expect(view.image?.pixelWidth == 128)
            #expect(view.image?.pixelHeight == 64)
            gtk_widget_set_size_request(view.widget, 300, 200)
            await stage.run { view.image?.pixelWidth == 300 }
            #expect(bench.server.requests.count == 1)
        }

        @Test func `a named processor and the original size are left alone`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            let url = bench.serveJPEG("/big.jpg", width: 800, height: 400)
            let processed = start(
                url,
                in: view,
                options: [
                    .processor(DownsamplingImageProcessor(size: .init(width: 90, height: 90)))
                ]
            )
            await Stage.run { processed.results.count == 1 }
            #expect(view.image?.pixelWidth == 90)
            view.kf.decodeSize = .original
            let original = start(url, in: view)
            await Stage.run { original.results.count == 1 }
            #expect(view.image?.pixelWidth == 800)
        }

        @Test func `covering, enough pixels are decoded for both sides`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 100, height: 100)
            view.fit = .cover
            let loading = start(bench.serveJPEG("/wide.jpg", width: 800, height: 400), in: view)
            await Stage.run { loading.results.count == 1 }
            #expect(view.image?.pixelWidth == 200)
            #expect(view.image?.pixelHeight == 100)
        }

        // MARK: The end

        @Test func `a window closed while loading frees all and stops the transfer`() async throws {
            let gate = ServerGate()
            let url = serve("/slow.jpg", behind: gate)
            let loading = Loading()
            weak var controller: PictureController?
            do {
                let view = ImageView()
                view.setSizeRequest(width: 60, height: 40)
                controller = view.controller
                let stage = Stage(view.widget)
                start(url, in: view, into: loading)
                await stage.paint()
                await bench.server.received(1)
                stage.close()
            }
            await Stage.run { controller == nil }
            await Stage.run { loading.results.count == 1 }
            #expect(try loading.error().isCancellation)
            await bench.server.abandoned(1)
        }

        @Test func `pixels go with the last window that shows them`() async throws {
            weak var storage: PixelStorage?
            do {
                let view = ImageView()
                // GTK's OpenGL renderer retains small textures in an atlas.
                let image = KFCrossPlatformImage.solid(.pureRed, width: 400, height: 300)
                storage = image.bitmap?.storage
                view.image = image
                let stage = Stage(view.widget)
                await stage.paint()
                stage.close()
            }
            await Stage.run { storage == nil }
        }

        // MARK: Helpers

        private func serve(_ path: String, behind gate: ServerGate) -> URL {
            let data = TestImage.jpeg()
            let head = ServerReply.head(200, [("Content-Length", "\(data.count)")])
            bench.server.route(path, ServerReply(steps: [.send(head), .wait(gate), .send(data)]))
            return bench.server.url(path)
        }

        private func start(
            _ url: URL,
            in view: ImageView,
            placeholder: KFCrossPlatformImage? = nil,
            options: KingfisherOptionsInfo = []
        ) -> Loading {
            let loading = Loading()
            start(url, in: view, into: loading, placeholder: placeholder, options: options)
            return loading
        }

        private func start(
            _ url: URL,
            in view: ImageView,
            into loading: Loading,
            placeholder: KFCrossPlatformImage? = nil,
            options: KingfisherOptionsInfo = []
        ) {
            _ = view.controller.loader.load(
                .network(url),
                placeholder: placeholder,
                options: KingfisherParsedOptionsInfo(options),
                by: bench.manager,
                progress: nil,
                completion: { loading.results.append($0) }
            )
        }
    }
}
#endif
