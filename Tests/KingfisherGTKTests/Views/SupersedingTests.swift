#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Loads that are superseded or cancelled, in widgets on screen.
    @Suite(.timeLimit(.minutes(1)))
    struct SupersedingTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test func `VW-7: three loads of one URL on one view end once each`() async throws {
            let view = ImageView()
            let stage = Stage(view.widget)
            await stage.paint()
            let url = serve("/slow.jpg", behind: ServerGate())
            let starts = (0..<3).map { _ in start(url, in: view) }
            await bench.server.received(1)
            for start in starts { start.task?.cancel() }
            await stage.run { starts.allSatisfy { $0.loading.results.count == 1 } }
            for start in starts {
                let error = try start.loading.error()
                #expect(error.isNotCurrentTask || error.isCancellation)
            }
            #expect(try starts[2].loading.error().isCancellation)
            await stage.paint()
            #expect(starts.allSatisfy { $0.loading.results.count == 1 })
            #expect(view.image == nil)
        }

        @Test func `VW-7: of three loads of one URL the last is shown`() async throws {
            let view = ImageView()
            let stage = Stage(view.widget)
            await stage.paint()
            let gate = ServerGate()
            let url = serve("/slow.jpg", behind: gate)
            let starts = (0..<3).map { _ in start(url, in: view) }
            gate.open()
            await stage.run { starts.allSatisfy { $0.loading.results.count == 1 } }
            #expect(try starts[0].loading.error().isNotCurrentTask)
            #expect(try starts[1].loading.error().isNotCurrentTask)
            #expect(view.image === (try starts[2].loading.value().image))
            #expect(bench.server.requests.count == 1)
        }

        @Test func `VW-14: progress ends with the cancel`() async throws {
            let view = ImageView()
            let stage = Stage(view.widget)
            await stage.paint()
            // Larger than socket buffers, so that the server cannot finish before the cancellation.
            let data = TestImage.jpeg(width: 600, height: 400) + Data(count: 32 << 20)
            let gate = ServerGate()
            bench.server.route("/a.jpg", .gated(data, at: [(2000, gate)]))
            var reports: [Int64] = []
            let (loading, _) = start(bench.server.url("/a.jpg"), in: view) { received, total in
                #expect(total == Int64(data.count))
                reports.append(received)
                view.kf.cancelDownloadTask()
            }
            await stage.run { loading.results.count == 1 }
            gate.open()
            await bench.server.abandoned(1)
            await stage.paint()
            #expect(try loading.error().isCancellation)
            #expect(reports.count == 1)
        }

        @Test func `VW-6: the image on screen is the last one requested`() async throws {
            let view = ImageView()
            view.hasNaturalSize = false
            view.fit = .fill
            let stage = Stage(view.widget, width: 120, height: 80)
            await stage.paint()
            let gate = ServerGate()
            let slow = start(serve("/slow.jpg", behind: gate), in: view)
            await bench.server.received(1)
            let green = KFCrossPlatformImage.solid(.pureGreen)
            let png = try #require(green.kf.pngRepresentation())
            bench.server.route("/green.png", .body(png, type: "image/png"))
            let quick = start(bench.server.url("/green.png"), in: view)
            await stage.run { quick.loading.results.count == 1 }
            gate.open()
            await stage.run { slow.loading.results.count == 1 }
            #expect(try slow.loading.error().isNotCurrentTask)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
        }

        @Test func `a window closed while its cells load frees them and stops their transfers`()
            async throws
        {
            let gate = ServerGate()
            let data = TestImage.jpeg()
            bench.server.fallback { _ in .gated(data, at: [(0, gate)]) }
            weak var controller: PictureController?
            weak var factory: ImageListFactory?
            do {
                let size = CGSize(width: 60, height: 60)
                let cells = ImageListFactory(cellSize: size, itemCount: 500) { [bench] in
                    .network(bench.server.url("/\($0).jpg"))
                }
                cells.manager = bench.manager
                cells.onBind = { position, view in
                    if position == 0 { controller = view.controller }
                }
                factory = cells
                let grid = Grid(cells, count: 500)
                let stage = Stage(grid.widget, width: 400, height: 300)
                await stage.run { !bench.server.requests.isEmpty }
                #expect(controller != nil)
                stage.close()
            }
            await Stage.run { controller == nil && factory == nil }
            await bench.server.quiet()
        }

        // MARK: Helpers

        private func serve(_ path: String, behind gate: ServerGate) -> URL {
            let data = TestImage.jpeg()
            bench.server.route(path, .gated(data, at: [(0, gate)]))
            return bench.server.url(path)
        }

        private func start(
            _ url: URL,
            in view: ImageView,
            progress: DownloadProgressBlock? = nil
        ) -> (loading: Loading, task: DownloadTask?) {
            let loading = Loading()
            let task = view.controller.loader.load(
                .network(url),
                placeholder: nil,
                options: KingfisherParsedOptionsInfo(nil),
                by: bench.manager,
                progress: progress,
                completion: { loading.results.append($0) }
            )
            return (loading, task)
        }
    }
}
#endif
