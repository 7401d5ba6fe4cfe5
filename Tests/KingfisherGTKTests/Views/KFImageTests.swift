#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// A ``KFImage`` that loads when it appears, and its placeholders.
    @Suite(.timeLimit(.minutes(1)))
    struct KFImageTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test func `a load is observed with its progress, and so is its failure`() async throws {
            let gate = ServerGate()
            let file = TestImage.jpeg(width: 400, height: 300)
            bench.server.route("/a.jpg", .gated(file, at: [(file.count / 2, gate)]))
            var states: [String] = []
            var shares: [Double] = []
            let bar = try #require(gtk_level_bar_new())
            let image = KFImage(bench.server.url("/a.jpg"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .placeholder(bar) { share in
                    shares.append(share)
                    LoopEvents.wake()
                }
                .onLoadStateChange { state in
                    switch state {
                    case .idle: states.append("idle")
                    case .loading(nil): states.append("loading")
                    case .loading: break
                    case .loaded: states.append("loaded")
                    case .failed: states.append("failed")
                    }
                    LoopEvents.wake()
                }
            let stage = Stage(image.widget)
            await stage.run { gtk_widget_get_visible(bar) != 0 && shares.contains { $0 > 0 } }
            #expect(shares.first == 0)
            gate.open()
            await stage.run { states.last == "loaded" }
            #expect(states == ["loading", "loaded"])
            guard case .loaded(let loaded) = image.loadState else {
                Issue.record("\(image.loadState)")
                return
            }
            #expect(loaded === image.view.image)
            image.bind(to: bench.server.url("/missing.jpg"))
            await stage.run { states.last == "failed" }
            #expect(states == ["loading", "loaded", "idle", "loading", "failed"])
        }

        @Test func `a load off screen has the least priority, and that of before when it returns`()
            async throws
        {
            let gate = ServerGate()
            bench.server.route("/a.jpg", .gated(TestImage.jpeg(), at: [(0, gate)]))
            let image = KFImage(bench.server.url("/a.jpg"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .reducePriorityOnDisappear()
            let stack = try #require(gtk_stack_new())
            gtk_stack_add_child(OpaquePointer(stack), image.widget)
            let other = try #require(gtk_label_new(nil))
            gtk_stack_add_child(OpaquePointer(stack), other)
            let stage = Stage(stack)
            await bench.server.received(1)
            let interest = try #require(image.view.controller.loader.interest)
            #expect(interest.deadline == .now)
            gtk_stack_set_visible_child(OpaquePointer(stack), other)
            await stage.paint()
            #expect(interest.deadline == .gone)
            gtk_stack_set_visible_child(OpaquePointer(stack), image.widget)
            await stage.paint()
            #expect(interest.deadline == .now)
            gate.open()
            await stage.run { image.view.image != nil }
        }

        @Test func `a priority of the caller stays, and so does its interest`() async throws {
            let own = ImageInterest(.prefetch)
            let wishes: [(Float, ImageInterest?)] = [(0.5, nil), (0.9, nil), (0.5, own)]
            for (index, (priority, interest)) in wishes.enumerated() {
                let probe = InterestProbe()
                let url = bench.serveJPEG("/\(index).jpg", width: 16, height: 12)
                let image = KFImage(url)
                    .targetCache(bench.cache)
                    .downloader(bench.downloader)
                    .downloadPriority(priority)
                    .setProcessor(probe)
                    .reducePriorityOnDisappear()
                if let interest { _ = image.interest(interest) }
                let stage = Stage(image.widget)
                await stage.run { image.view.image != nil }
                let loader = image.view.controller.loader
                let wanted = interest ?? (priority == 0.5 ? loader.interest : nil)
                #expect(probe.seen.value.allSatisfy { $0 === wanted } && !probe.seen.value.isEmpty)
            }
        }

        @Test func `a side that is not proposed is that of the file, once it is known`()
            async throws
        {
            let url = bench.serveJPEG("/photo.jpg", width: 1_600, height: 1_200)
            var known: [CGSize] = []
            let image = KFImage(url)
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .resizable()
                .onNaturalSize {
                    known.append($0)
                    LoopEvents.wake()
                }
            #expect(image.size(fitting: nil, nil) == nil)
            image.view.setSizeRequest(width: 16, height: 12)
            let stage = Stage(image.widget)
            await stage.run { image.view.image != nil }
            // Decoded for the first layout.
            #expect(image.view.image?.pixelWidth ?? 0 < 100)
            await stage.run { !known.isEmpty }
            #expect(known == [CGSize(width: 1_600, height: 1_200)])
            #expect(image.naturalSize == CGSize(width: 1_600, height: 1_200))
            #expect(image.size(fitting: nil, nil) == CGSize(width: 1_600, height: 1_200))
            #expect(image.size(fitting: 800, nil) == CGSize(width: 800, height: 600))
            #expect(image.size(fitting: .infinity, 300) == CGSize(width: 400, height: 300))
            #expect(bench.server.requests.count == 1)
        }

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
            await stage.run { controller.content.transition != nil }
            #expect(loaded == 0)
            controller.sight.watch?.stopTicking(ObjectIdentifier(controller))
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
    }
}

/// Notes the interests of the loads that it processes.
private nonisolated struct InterestProbe: ImageProcessor {
    let identifier = "interest-probe"
    let seen = Locked<[ImageInterest?]>([])

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        seen.change { $0.append(options.interest) }
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}
#endif
