#if GTK
import CKFGTKHeaders
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
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let wall = Wall(bench, count: 2_000) { $0.prefetchCount = 0 }
            await wall.stage.run { wall.haveImages }
            // Near enough that the visible cells stay bound to their items.
            wall.grid.scroll(to: 600)
            await wall.stage.run { wall.visible.values.allSatisfy { $0 > 30 } && wall.haveImages }
            let unseen = wall.views.filter {
                !kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key))
            }
            #expect(unseen.values.contains { $0 < 20 })
            #expect(unseen.keys.allSatisfy { kf($0).image == nil })
            let requests = bench.server.requests.count
            wall.grid.scroll(to: 0)
            await wall.stage.paint(frames: 1)
            #expect(wall.haveImages)
            #expect(bench.server.requests.count == requests)
        }

        @Test func `the list is asked for the sources of cells in sight alone`() async throws {
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let wall = Wall(bench, count: 2_000) { $0.prefetchCount = 0 }
            await wall.stage.run { wall.haveImages }
            #expect(wall.views.count > wall.visible.count)
            #expect(wall.described == Set(wall.visible.values))
        }

        @Test func `every settled cell of a scrolled grid shows its own image`() async throws {
            bench.server.fallback { request in
                let number = Int(request.path.dropFirst()) ?? 0
                let png = TestImage.png(width: 20 + number % 40, height: 20)
                return .body(png, type: "image/png")
            }
            let wall = Wall(bench, count: 3_000)
            await wall.stage.paint()
            await wall.fling(by: 400)
            for (picture, position) in wall.visible {
                #expect(kf(picture).image?.pixelWidth == 20 + position % 40)
            }
            // Thirty screens were passed; items that only passed were not requested.
            #expect(bench.server.requests.count < 600)
        }

        @Test func `rows that pass in less than 80 ms start no load, and those at rest do`()
            async throws
        {
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let wall = Wall(bench, count: 20_000)
            await wall.stage.run { wall.haveImages && wall.hasPrefetched }
            let requests = bench.server.requests.count
            await wall.fling(by: 600) {
                #expect(bench.server.requests.count == requests)
                #expect(wall.visible.values.allSatisfy { $0 > 1_000 })
            }
            let last = Set(wall.visible.values.map { "/\($0)" })
            #expect(last.isSubset(of: bench.server.requests.map(\.path)))
        }

        @Test(arguments: CellChange.allCases)
        func `prefetched images are in the first frame of their cells`(
            change: CellChange
        ) async throws {
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            let wall = Wall(bench, count: 200) { change.apply(to: $0) }
            // The visible items and those ahead.
            await wall.stage.run { wall.haveImages && wall.hasPrefetched }
            let last = try #require(wall.visible.values.max())
            // Less than three rows, all of which were prefetched.
            wall.grid.scroll(to: 120)
            await wall.stage.paint(frames: 1)
            let new = wall.visible.filter { $0.value > last }
            #expect(new.count >= 5)
            #expect(new.keys.allSatisfy { kf($0).image != nil })
        }

        @Test func `a failed cell loads again when it is back in sight, or online`() async throws {
            bench.server.fallback { _ in .status(503) }
            let wall = Wall(bench, count: 60, width: 130, height: 100) { $0.prefetchCount = 0 }
            let haveFailed = {
                !wall.visible.isEmpty && wall.visible.keys.allSatisfy { kf($0).failure != nil }
            }
            await wall.stage.run(until: haveFailed)
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            // Near enough that the cells stay bound to their items.
            wall.grid.scroll(to: 200)
            await wall.stage.run { wall.haveImages }
            wall.grid.scroll(to: 0)
            await wall.stage.run { wall.haveImages }
            // Cells in sight load again when the network has returned.
            bench.server.fallback { _ in .status(503) }
            wall.grid.scroll(to: 400)
            await wall.stage.run(until: haveFailed)
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            NetworkReturn.shared.changed(isAvailable: false)
            NetworkReturn.shared.changed(isAvailable: true)
            await wall.stage.run { wall.haveImages }
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

/// A window with a grid whose cells load from a server.
private final class Wall {
    private final class Bound {
        var views: [OpaquePointer: Int] = [:]
        var described: Set<Int> = []
    }

    let cells: ImageListFactory
    let grid: Grid
    let stage: Stage
    private let bench: TestBench
    private let bound = Bound()
    /// The number of cells that fit.
    private let least: Int

    init(
        _ bench: TestBench,
        count: Int,
        width: Int32 = 400,
        height: Int32 = 300,
        _ configure: (ImageListFactory) -> Void = { _ in }
    ) {
        self.bench = bench
        least = Int(width / 70) * Int(height / 70)
        cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: count) {
            [bound] in
            bound.described.insert($0)
            return .network(bench.server.url("/\($0)"))
        }
        cells.manager = bench.manager
        cells.onBind = { [bound] in bound.views[$1.gtkPicture] = $0 }
        configure(cells)
        grid = Grid(cells, count: count)
        stage = Stage(grid.widget, width: width, height: height)
    }

    /// The views with the positions that they were last bound to.
    var views: [OpaquePointer: Int] { bound.views }

    /// The positions whose sources were asked for.
    var described: Set<Int> { bound.described }

    var visible: [OpaquePointer: Int] {
        views.filter { kf_widget_is_in_sight(UnsafeMutableRawPointer($0.key)) }
    }

    /// Whether the window is full of cells that show an image.
    var haveImages: Bool {
        visible.count >= least && visible.keys.allSatisfy { kf($0).image != nil }
    }

    /// Scrolls by a distance in each of thirty frames, and rests until the images are shown.
    ///
    /// - Parameters:
    ///   - distance: In points. A second of the list has sixty frames, however long they take.
    ///   - check: Called when the list has moved and does not rest yet.
    func fling(by distance: Double, _ check: () -> Void = {}) async {
        let readTime = ListMotion.readTime
        defer { ListMotion.readTime = readTime }
        var time = 1 + (readTime(grid.widget) ?? 0)
        ListMotion.readTime = { _ in time }
        for step in 1...30 {
            time += 1.0 / 60
            grid.scroll(to: Double(step) * distance)
            await stage.paint(frames: 3)
        }
        check()
        time += 0.1
        await stage.run { haveImages }
    }

    /// Whether the items ahead are in memory, too.
    var hasPrefetched: Bool {
        bench.cache.memoryStorage.statistics.count >= visible.count + cells.prefetchCount
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
