#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Widgets that are on screen before the library attaches to them, or that are also used by
    /// other code.
    @Suite(.timeLimit(.minutes(1)))
    struct AttachingTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test func `a view that is on screen already fades its image in`() async throws {
            let (picture, stage) = try await mappedPicture()
            var isOver = false
            kf(picture).image = .solid(.pureRed)
            var options = KingfisherParsedOptionsInfo(nil)
            options.transition = .fade(0.05)
            controller(of: picture).content.transition(to: .solid(.pureGreen), options: options) {
                isOver = true
            }
            #expect(!isOver)
            await stage.run { isOver }
        }

        @Test func `a view that is on screen already plays its animation`() async throws {
            let (picture, stage) = try await mappedPicture()
            let view = AnimatedPictureView(picture: picture)
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            await stage.run { view.currentFrameIndex == 1 }
        }

        @Test func `a view that is on screen already loads when it is seen`() async throws {
            let (picture, stage) = try await mappedPicture()
            kf(picture).loadStart = .whenVisible
            let loading = Loading()
            load(bench.serveJPEG("/a.jpg"), in: picture, loading)
            await stage.run { loading.results.count == 1 }
            #expect(kf(picture).image != nil)
        }

        @Test func `a load restores a replaced paintable`() async throws {
            let (picture, stage) = try await mappedPicture()
            kf(picture).image = .solid(.pureRed)
            gtk_picture_set_paintable(picture, nil)
            await stage.paint()
            #expect(!(try #require(stage.capture()).center.isNear(.pureRed)))
            kf(picture).image = .solid(.pureGreen)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
            gtk_picture_set_paintable(picture, nil)
            // Setting the same image again must still restore the picture.
            kf(picture).image = kf(picture).image
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
        }

        @Test func `an own image of a hidden view that loads when seen stays`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            view.kf.loadStart = .whenVisible
            let box = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            gtk_box_append(box.asBox, view.widget)
            let stage = Stage(box)
            let loading = Loading()
            load(bench.serveJPEG("/a.jpg"), in: view.gtkPicture, loading)
            await stage.run { loading.results.count == 1 }
            gtk_widget_set_visible(view.widget, 0)
            await stage.run { view.image == nil }
            let own = KFCrossPlatformImage.solid(.pureBlue)
            view.image = own
            gtk_widget_set_visible(view.widget, 1)
            await stage.paint(frames: 6)
            #expect(view.image === own)
        }

        @Test func `a KFImage hidden and shown within one turn of the loop loads`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            var cancelled = 0
            var loaded = 0
            let image = KFImage(bench.server.url("/slow.jpg"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .cancelOnDisappear()
                .configure { $0.setSizeRequest(width: 60, height: 40) }
                .onFailure { if $0.isCancellation { cancelled += 1 } }
                .onSuccess { _ in loaded += 1 }
            let stage = Stage(image.widget)
            await stage.run { bench.server.requests.count == 1 }
            gtk_widget_set_visible(image.widget, 0)
            gtk_widget_set_visible(image.widget, 1)
            gate.open()
            await stage.run { loaded == 1 }
            #expect(cancelled <= 1)
            #expect(image.view.image != nil)
        }

        // MARK: Helpers

        private func mappedPicture() async throws -> (OpaquePointer, Stage) {
            let widget = try #require(gtk_picture_new())
            let stage = Stage(widget)
            await stage.paint()
            return (OpaquePointer(widget), stage)
        }

        private func controller(of picture: OpaquePointer) -> PictureController {
            .of(UnsafeMutableRawPointer(picture))
        }

        private func load(_ url: URL, in picture: OpaquePointer, _ loading: Loading) {
            controller(of: picture).loader.load(url, by: bench.manager, into: loading)
        }
    }
}
#endif
