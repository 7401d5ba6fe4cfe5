#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Callers' code that destroys widgets, or loads again, inside a callback.
    @Suite(.timeLimit(.minutes(1)))
    struct CallbackTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        // MARK: Destroying

        @Test func `a view outlives the end of a transition that removes it`() async throws {
            let scene = try Removal()
            scene.transition()
            await scene.stage.run { scene.wasAlive != nil && scene.isGone }
            #expect(scene.wasAlive == true)
        }

        @Test func `a view outlives an image that ends such a transition`() async throws {
            let scene = try Removal()
            await scene.stage.paint()
            scene.transition(seconds: 1_000)
            kf(scene.picture).image = .solid(.pureBlue)
            #expect(scene.wasAlive == true)
            await scene.stage.run { scene.isGone }
        }

        @Test func `a view outlives a superseded completion that removes it`() async throws {
            let scene = try Removal()
            let url = bench.serveJPEG("/a.jpg")
            load(url, in: scene.picture) { _ in scene.remove() }
            load(url, in: scene.picture) { _ in }
            #expect(scene.wasAlive == true)
            await scene.stage.run { scene.isGone }
        }

        @Test func `a view outlives an indicator that removes it`() async throws {
            let scene = try Removal()
            kf(scene.picture).indicator = .custom { isLoading in if !isLoading { scene.remove() } }
            scene.controller?.content.loadWillStart()
            scene.controller?.content.loadDidEnd()
            #expect(scene.wasAlive == true)
            await scene.stage.run { scene.isGone }
        }

        @Test func `a view outlives a load that ends out of sight and removes it`() async throws {
            let scene = try Removal()
            kf(scene.picture).loadStart = .whenVisible
            kf(scene.picture).setImage(
                with: bench.serveJPEG("/a.jpg"),
                placeholder: .solid(.pureRed),
                options: [
                    .targetCache(bench.cache), .downloader(bench.downloader),
                    .transition(.fade(1_000)),
                ]
            ) { _ in scene.remove() }
            await scene.stage.run { scene.controller?.content.transition != nil }
            gtk_widget_set_visible(scene.picture.asWidget, 0)
            await scene.stage.run { scene.wasAlive != nil && scene.isGone }
            #expect(scene.wasAlive == true)
        }

        @Test(arguments: [0, 0.01])
        func `a transition that is replaced by an image while it moves ends with that image`(
            start: Double
        ) async throws {
            let scene = try Removal()
            await scene.stage.paint()
            kf(scene.picture).image = .solid(.pureRed)
            let own = KFCrossPlatformImage.solid(.pureBlue)
            var ends = 0
            var options = KingfisherParsedOptionsInfo(nil)
            options.transition = .custom(duration: 0.2) { [picture = scene.picture] progress in
                if progress >= start, progress < 1 { kf(picture).image = own }
                return TransitionFrame()
            }
            let controller = try #require(scene.controller)
            controller.content.transition(to: .solid(.pureGreen), options: options) { ends += 1 }
            await scene.stage.run { ends == 1 }
            await scene.stage.paint()
            #expect(controller.content.image === own)
            #expect(try #require(scene.stage.capture()).center.isNear(.pureBlue))
        }

        @Test func `a callback may destroy views that wait for the same frame`() async throws {
            let box = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            let stage = Stage(box)
            var removed = 0
            for _ in 0..<8 {
                let picture = try #require(gtk_picture_new())
                gtk_box_append(box.asBox, picture)
                kf(OpaquePointer(picture)).indicator = .spinner
            }
            await stage.paint()
            var child = gtk_widget_get_first_child(box)
            while let picture = child {
                child = gtk_widget_get_next_sibling(picture)
                let controller = PictureController.of(UnsafeMutableRawPointer(picture))
                controller.content.loadWillStart()
                var options = KingfisherParsedOptionsInfo(nil)
                options.transition = .fade(0.001)
                controller.content.transition(to: .solid(.pureRed), options: options) {
                    while let first = gtk_widget_get_first_child(box) {
                        gtk_box_remove(box.asBox, first)
                        removed += 1
                    }
                }
            }
            await stage.run { removed == 8 }
            // GTK's criticals would end the process; the clock's user count must still be correct.
            await stage.paint()
            let view = AnimatedPictureView()
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            gtk_box_append(box.asBox, view.widget)
            await stage.run { view.currentFrameIndex == 1 }
        }

        // MARK: Loading again

        @Test func `a completion that loads again loses nothing, and its load is the last`()
            async throws
        {
            let view = ImageView()
            let ends = Ends()
            let urls = ["/a.jpg", "/b.jpg", "/c.jpg"].map { bench.serveJPEG($0) }
            let picture = view.gtkPicture
            load(urls[0], in: picture) { result in
                ends.note("a", result)
                load(urls[2], in: picture) { ends.note("c", $0) }
            }
            load(urls[1], in: picture) { ends.note("b", $0) }
            await Stage.run { ends.names.count == 3 }
            #expect(ends.names.sorted() == ["a superseded", "b superseded", "c loaded"])
            #expect(view.image != nil)
        }

        @Test(arguments: [LoadStart.immediately, .whenVisible])
        func `the end of a transition is reported before a load that it starts`(
            loadStart: LoadStart
        ) async throws {
            let view = ImageView()
            view.hasNaturalSize = false
            view.kf.loadStart = loadStart
            let stage = Stage(view.widget)
            await stage.paint()
            let ends = Ends()
            let urls = ["/a.jpg", "/b.jpg"].map { bench.serveJPEG($0) }
            let picture = view.gtkPicture
            var options = KingfisherParsedOptionsInfo(nil)
            options.transition = .fade(1_000)
            view.controller.content.transition(to: .solid(.pureRed), options: options) {
                load(urls[0], in: picture) { ends.note("nested", $0) }
            }
            load(urls[1], in: picture) { ends.note("outer", $0) }
            await stage.run { ends.names.count == 2 }
            #expect(ends.names.sorted() == ["nested superseded", "outer loaded"])
            #expect(view.image != nil)
        }

        @Test(arguments: [LoadStart.immediately, .whenVisible])
        func `a load that an indicator starts is superseded by the one that it indicates`(
            start: LoadStart
        ) async throws {
            let view = ImageView()
            view.hasNaturalSize = false
            let stage = Stage(view.widget)
            await stage.paint()
            let ends = Ends()
            let urls = ["/a.jpg", "/b.jpg"].map { bench.serveJPEG($0) }
            let picture = view.gtkPicture
            var hasStarted = false
            view.kf.indicator = .custom { isLoading in
                guard isLoading, !hasStarted else { return }
                hasStarted = true
                kf(picture).loadStart = start
                load(urls[0], in: picture) { ends.note("nested", $0) }
            }
            load(urls[1], in: picture) { ends.note("outer", $0) }
            await stage.run { ends.names.count == 2 }
            #expect(ends.names.sorted() == ["nested superseded", "outer loaded"])
            #expect(view.image != nil)
            #expect(view.kf.failure == nil)
            #expect(view.controller.loader.shownLoad?.source.url == urls[1])
            #expect(view.controller.loader.pending == nil)
        }

        // MARK: The end of an indicator

        @Test func `a view that dies while it loads ends its indicator`() async throws {
            var told: [Bool] = []
            do {
                let view = ImageView()
                view.setSizeRequest(width: 60, height: 40)
                view.kf.indicator = .custom { told.append($0) }
                load(serve("/slow.jpg", behind: ServerGate()), in: view.gtkPicture) { _ in }
                await bench.server.received(1)
                #expect(told == [true])
            }
            await Stage.run { told == [true, false] }
        }

        @Test func `loads that overtake each other show one indicator`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            var told: [Bool] = []
            view.kf.indicator = .custom { told.append($0) }
            var ended = 0
            for path in ["/a.jpg", "/b.jpg", "/c.jpg"] {
                load(bench.serveJPEG(path), in: view.gtkPicture) { _ in
                    ended += 1
                    LoopEvents.wake()
                }
            }
            await Stage.run { ended == 3 }
            #expect(told.filter(\.self) == [true])
            #expect(told.last == false)
        }

        // MARK: Handles

        @Test func `a handle cancels its load after the view went and came back`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            view.kf.loadStart = .whenVisible
            let box = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            gtk_box_append(box.asBox, view.widget)
            let stage = Stage(box)
            view.image = .solid(.pureRed)
            let loading = Loading()
            await stage.paint(frames: 4)
            let task = load(serve("/slow.jpg", behind: ServerGate()), in: view.gtkPicture) {
                loading.results.append($0)
            }
            await stage.run { bench.server.requests.count == 1 }
            gtk_widget_set_visible(view.widget, 0)
            await stage.run { view.controller.loader.pending != nil }
            gtk_widget_set_visible(view.widget, 1)
            await stage.run { bench.server.requests.count == 2 }
            #expect(loading.results.isEmpty)
            task?.cancel()
            await stage.run { loading.results.count == 1 }
            #expect(try loading.error().isCancellation)
        }

        @Test func `a handle cancels a load that waits to be seen`() async throws {
            let view = ImageView()
            view.kf.loadStart = .whenVisible
            let loading = Loading()
            let task = load(bench.serveJPEG("/a.jpg"), in: view.gtkPicture) {
                loading.results.append($0)
            }
            try #require(task).cancel()
            await Stage.run { loading.results.count == 1 }
            #expect(try loading.error().isCancellation)
            #expect(view.controller.loader.pending == nil)
        }

        @Test func `a load is cancelled although its view has just left the screen`() async throws {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 40)
            view.kf.loadStart = .whenVisible
            let stage = Stage(view.widget)
            let loading = Loading()
            load(serve("/slow.jpg", behind: ServerGate()), in: view.gtkPicture) {
                loading.results.append($0)
            }
            await stage.run { bench.server.requests.count == 1 }
            gtk_widget_set_visible(view.widget, 0)
            view.kf.cancelDownloadTask()
            await stage.run { loading.results.count == 1 }
            #expect(try loading.error().isCancellation)
            #expect(view.controller.loader.pending == nil)
        }

        // MARK: Helpers

        private func serve(_ path: String, behind gate: ServerGate) -> URL {
            bench.server.route(path, .gated(TestImage.jpeg(), at: [(0, gate)]))
            return bench.server.url(path)
        }

        @discardableResult
        private func load(
            _ url: URL,
            in picture: OpaquePointer,
            completion: @escaping ImageCompletion
        ) -> DownloadTask? {
            PictureController.of(UnsafeMutableRawPointer(picture)).loader.load(
                .network(url),
                placeholder: nil,
                options: KingfisherParsedOptionsInfo(nil),
                by: bench.manager,
                progress: nil,
                completion: completion
            )
        }
    }
}

/// Records the ends of loads.
private final class Ends {
    private(set) var names: [String] = [] {
        didSet { LoopEvents.wake() }
    }

    func note(_ name: String, _ result: Result<RetrieveImageResult, KingfisherError>) {
        let end =
            switch result {
            case .success: "loaded"
            case .failure(let error): error.isNotCurrentTask ? "superseded" : "failed"
            }
        names.append("\(name) \(end)")
    }
}

/// A picture that is owned only by a window until a callback removes it.
private final class Removal {
    private final class Mark {}

    private static let marks = ObjectData<Mark>(name: "test-mark")

    let stage: Stage
    let picture: OpaquePointer
    /// Whether the picture was alive when the callback that removed it continued.
    private(set) var wasAlive: Bool?
    private weak var mark: Mark?

    init() throws {
        let widget = try #require(gtk_picture_new())
        picture = OpaquePointer(widget)
        stage = Stage(widget)
        let mark = Mark()
        self.mark = mark
        Self.marks.set(mark, on: UnsafeMutableRawPointer(widget))
    }

    var isGone: Bool { mark == nil }

    var controller: PictureController? { .existing(of: UnsafeMutableRawPointer(picture)) }

    func remove() {
        guard wasAlive == nil else { return }
        gtk_window_set_child(
            UnsafeMutableRawPointer(stage.window).assumingMemoryBound(to: GtkWindow.self),
            nil
        )
        wasAlive = !isGone
    }

    func transition(seconds: Double = 0.02) {
        kf(picture).image = .solid(.pureRed)
        var options = KingfisherParsedOptionsInfo(nil)
        options.transition = .fade(seconds)
        controller?.content.transition(to: .solid(.pureGreen), options: options) { [self] in
            remove()
        }
    }
}
#endif
