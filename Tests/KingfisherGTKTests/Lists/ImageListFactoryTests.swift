#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The images of the cells in a scrolled grid.
    @Suite(.timeLimit(.minutes(1)))
    struct ImageListFactoryTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test func `cells that are not seen hold no image, and have it back in the first frame`()
            async throws
        {
            let count = 2_000
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: count)
            {
                [bench] in .network(bench.server.url("/\($0)"))
            }
            cells.manager = bench.manager
            cells.prefetchCount = 0
            var views: [OpaquePointer: Int] = [:]
            cells.onBind = { position, view in views[view.gtkPicture] = position }
            let grid = Grid(cells, count: count)
            let stage = Stage(grid.widget, width: 400, height: 300)
            let visible = {
                views.filter { kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key)) }
            }
            let isSettled = {
                let visible = visible()
                return visible.count > 20 && visible.allSatisfy { kf($0.key).image != nil }
            }
            await stage.run(until: isSettled)
            // Near enough that the visible cells stay bound to their items.
            grid.scroll(to: 600)
            await stage.run { visible().values.allSatisfy { $0 > 30 } && isSettled() }
            let unseen = views.keys.filter { !kf_widget_is_in_sight(UnsafeMutableRawPointer($0)) }
            #expect(unseen.contains { views[$0] ?? .max < 20 })
            #expect(unseen.allSatisfy { kf($0).image == nil })
            let requests = bench.server.requests.count
            grid.scroll(to: 0)
            await stage.paint(frames: 1)
            #expect(isSettled())
            #expect(bench.server.requests.count == requests)
        }

        @Test func `every settled cell of a scrolled grid shows its own image`() async throws {
            let count = 3_000
            bench.server.fallback { request in
                let number = Int(request.path.dropFirst()) ?? 0
                let png = TestImage.png(width: 20 + number % 40, height: 20)
                return .body(png, type: "image/png")
            }
            let cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: count)
            {
                [bench] in .network(bench.server.url("/\($0)"))
            }
            cells.manager = bench.manager
            var views: [OpaquePointer: Int] = [:]
            cells.onBind = { position, view in views[view.gtkPicture] = position }
            let grid = Grid(cells, count: count)
            let stage = Stage(grid.widget, width: 400, height: 300)
            await stage.paint()
            for step in 1...30 {
                grid.scroll(to: Double(step) * 400)
                await stage.paint(frames: 1)
            }
            let visible = {
                views.filter { kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key)) }
            }
            await stage.run {
                let visible = visible()
                return !visible.isEmpty && visible.allSatisfy { kf($0.key).image != nil }
            }
            for (picture, position) in visible() {
                #expect(kf(picture).image?.pixelWidth == 20 + position % 40)
            }
            // Thirty screens were passed; items that only passed were not requested.
            #expect(bench.server.requests.count < 600)
        }

        @Test func `rows that pass in less than 80 ms start no load, and those at rest do`()
            async throws
        {
            let count = 20_000
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: count)
            {
                [bench] in .network(bench.server.url("/\($0)"))
            }
            cells.manager = bench.manager
            var views: [OpaquePointer: Int] = [:]
            cells.onBind = { position, view in views[view.gtkPicture] = position }
            let grid = Grid(cells, count: count)
            let stage = Stage(grid.widget, width: 400, height: 300)
            let visible = {
                views.filter { kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key)) }
            }
            let isSettled = {
                let visible = visible()
                return visible.count > 20 && visible.allSatisfy { kf($0.key).image != nil }
            }
            await stage.run {
                isSettled()
                    && bench.cache.memoryStorage.statistics.count
                        >= visible().count + cells.prefetchCount
            }
            // Two screens in each frame of a clock that only the test moves.
            let readTime = ListMotion.readTime
            var time = 1 + (readTime(grid.widget) ?? 0)
            defer { ListMotion.readTime = readTime }
            ListMotion.readTime = { _ in time }
            let requests = bench.server.requests.count
            for step in 1...30 {
                time += 1.0 / 60
                grid.scroll(to: Double(step) * 600)
                await stage.paint(frames: 3)
            }
            #expect(bench.server.requests.count == requests)
            #expect(visible().values.allSatisfy { $0 > 1_000 })
            time += 0.1
            await stage.run(until: isSettled)
            let last = Set(visible().values.map { "/\($0)" })
            #expect(last.isSubset(of: bench.server.requests.map(\.path)))
        }

        @Test(arguments: CellChange.allCases)
        func `prefetched images are in the first frame of their cells`(
            change: CellChange
        ) async throws {
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: 200) {
                [bench] in .network(bench.server.url("/\($0)"))
            }
            cells.manager = bench.manager
            change.apply(to: cells)
            var views: [OpaquePointer: Int] = [:]
            cells.onBind = { position, view in views[view.gtkPicture] = position }
            let grid = Grid(cells, count: 200)
            let stage = Stage(grid.widget, width: 400, height: 300)
            let visible = {
                views.filter { kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key)) }
            }
            // The visible items and those ahead.
            await stage.run {
                let shown = visible()
                return !shown.isEmpty && shown.keys.allSatisfy { kf($0).image != nil }
                    && bench.cache.memoryStorage.statistics.count >= shown.count
                        + cells.prefetchCount
            }
            let last = try #require(visible().values.max())
            // Less than three rows, all of which were prefetched.
            grid.scroll(to: 120)
            await stage.paint(frames: 1)
            let new = visible().filter { $0.value > last }
            #expect(new.count >= 5)
            #expect(new.keys.allSatisfy { kf($0).image != nil })
        }

        @Test func `a failed cell loads again when it is back in sight, or online`() async throws {
            bench.server.fallback { _ in .status(503) }
            let cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: 60) {
                [bench] in .network(bench.server.url("/\($0)"))
            }
            cells.manager = bench.manager
            cells.prefetchCount = 0
            var views: [OpaquePointer: Int] = [:]
            cells.onBind = { position, view in views[view.gtkPicture] = position }
            let grid = Grid(cells, count: 60)
            let stage = Stage(grid.widget, width: 130, height: 100)
            let visible = {
                views.filter { kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key)) }
                    .map { PictureController.of(UnsafeMutableRawPointer($0.key)) }
            }
            let haveFailed = {
                !visible().isEmpty && visible().allSatisfy { $0.loader.failure != nil }
            }
            let haveImages = {
                !visible().isEmpty && visible().allSatisfy { $0.content.image != nil }
            }
            await stage.run(until: haveFailed)
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            // Near enough that the cells stay bound to their items.
            grid.scroll(to: 200)
            await stage.run(until: haveImages)
            grid.scroll(to: 0)
            await stage.run(until: haveImages)
            // Cells in sight load again when the network has returned.
            bench.server.fallback { _ in .status(503) }
            grid.scroll(to: 400)
            await stage.run(until: haveFailed)
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            NetworkReturn.shared.changed(isAvailable: false)
            NetworkReturn.shared.changed(isAvailable: true)
            await stage.run(until: haveImages)
        }
    }
}

/// The ways of changing how the cells of a list load.
enum CellChange: CaseIterable {
    case fit, size, processor, scale, original

    @MainActor
    func apply(to cells: ImageListFactory) {
        switch self {
        case .fit: cells.configure = { $0.fit = .contain }
        case .size: cells.configure = { $0.setSizeRequest(width: 50, height: 40) }
        case .processor: cells.options = [.processor(BlackWhiteProcessor())]
        case .scale: cells.options = [.scaleFactor(3)]
        case .original: cells.configure = { $0.kf.decodeSize = .original }
        }
    }
}

/// A scrolled grid for tests.
final class Grid {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>

    init(_ cells: ImageListFactory, count: Int) {
        let strings = gtk_string_list_new(nil)
        for number in 0..<count { gtk_string_list_append(strings, "\(number)") }
        let model = gtk_no_selection_new(strings)
        guard let view = gtk_grid_view_new(model, cells.makeFactory()),
            let window = gtk_scrolled_window_new(),
            let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(window))
        else { preconditionFailure("GTK has no memory") }
        gtk_grid_view_set_max_columns(OpaquePointer(view), 20)
        gtk_scrolled_window_set_child(OpaquePointer(window), view)
        widget = window
        self.adjustment = adjustment
    }

    func scroll(to position: Double) { gtk_adjustment_set_value(adjustment, position) }
}
#endif
