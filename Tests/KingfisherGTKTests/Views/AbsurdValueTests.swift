#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Values from callers and files that make no sense: no crash, no warning of GTK, and an image
    /// where there is one.
    @Suite(.timeLimit(.minutes(1)))
    struct AbsurdValueTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test(arguments: [Int.min, -7, 0, Int.max])
        func `a size request of any number is accepted`(side: Int) {
            let view = ImageView()
            view.setSizeRequest(width: side, height: side)
            view.setSizeRequest(width: 10, height: side)
        }

        @Test(arguments: [CGFloat.nan, .infinity, -.infinity, -3, 0, 1e300])
        func `the cells of a list may have any size`(side: CGFloat) async throws {
            let cells = ImageListFactory(
                cellSize: CGSize(width: side, height: 40),
                itemCount: 3
            ) { _ in nil }
            var isMade = false
            cells.configure = { view in
                isMade = true
                // Even an X server has no room for such a window.
                view.setSizeRequest(width: 40, height: 40)
            }
            let items = gtk_string_list_new(nil)
            gtk_string_list_append(items, "a")
            let list = gtk_grid_view_new(gtk_no_selection_new(items), cells.makeFactory())
            let stage = Stage(try #require(list))
            await stage.run { isMade }
        }

        @Test(arguments: [CGFloat.nan, .infinity, -3, 0, 1e300], [Double.nan, .infinity, -1, 0])
        func `a paintable of any size and density loads`(side: CGFloat, density: Double) async {
            let image = PaintableImage(
                size: CGSize(width: side, height: side),
                density: density,
                fit: .cover
            )
            let loading = Loading()
            _ = image.state.loader.load(
                .network(bench.serveJPEG("/a.jpg")),
                placeholder: nil,
                options: KingfisherParsedOptionsInfo(nil),
                by: bench.manager,
                progress: nil,
                completion: { loading.results.append($0) }
            )
            await Stage.run { loading.results.count == 1 }
        }

        @Test(arguments: [CGFloat.nan, .infinity, -.infinity, 1e300])
        func `an indicator of any size and place is painted`(side: CGFloat) async {
            let view = ImageView()
            view.image = .solid(.pureRed)
            view.kf.indicator = .image(
                .solid(.pureGreen),
                size: CGSize(width: side, height: side),
                offset: CGPoint(x: side, y: -side)
            )
            let stage = Stage(view.widget)
            view.controller.content.loadWillStart()
            await stage.paint()
            view.controller.content.loadDidEnd()
            await stage.paint()
            #expect(stage.capture()?.center.isNear(.pureRed) == true)
        }

        @Test(arguments: [CGFloat.nan, .infinity, -1, 1e300])
        func `a transition to any place ends with the image`(number: CGFloat) async {
            let view = ImageView()
            view.image = .solid(.pureRed)
            let stage = Stage(view.widget)
            await stage.paint()
            var isOver = false
            var options = KingfisherParsedOptionsInfo(nil)
            var layer = TransitionFrame.Layer()
            layer.opacity = Double(number)
            layer.scale = CGSize(width: number, height: number)
            layer.offset = CGPoint(x: number, y: number)
            layer.rotation = Double(number)
            var frame = TransitionFrame()
            (frame.old, frame.new) = (layer, layer)
            options.transition = .custom(duration: 0.05, frame: { [frame] _ in frame })
            view.controller.content.transition(to: .solid(.pureBlue), options: options) {
                isOver = true
            }
            await stage.run { isOver }
            await stage.paint()
            #expect(stage.capture()?.center.isNear(.pureBlue) == true)
        }

        @Test(arguments: [Int.min, -1, 0, Int.max])
        func `an animation plays with any number of preloaded frames`(count: Int) async throws {
            let view = AnimatedPictureView()
            view.framePreloadCount = count
            view.repeatCount = .finite(count: 0)
            view.repeatCount = .infinite
            // Its last frame has no duration.
            view.image = KingfisherWrapper<KFCrossPlatformImage>
                .image(data: TestImage.gif, options: ImageCreatingOptions())
            let stage = Stage(view.widget)
            await stage.run { view.currentFrameIndex == 2 }
        }

        @Test(arguments: [
            Data(), Data("<html>".utf8), TestImage.jpeg().prefix(300), TestImage.gif.prefix(40),
        ])
        func `bytes that are no image fail with a reason`(data: Data) async throws {
            bench.server.route("/a", .body(data, type: "image/jpeg"))
            let view = ImageView()
            let stage = Stage(view.widget)
            let loading = Loading()
            view.controller.loader.load(bench.server.url("/a"), by: bench.manager, into: loading)
            await stage.run { loading.results.count == 1 }
            let reason = try loading.error().failureReason
            #expect(reason == "The file is not an image, or it is damaged.")
            #expect(view.image == nil)
        }
    }
}
#endif
