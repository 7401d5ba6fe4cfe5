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
    /// The cells of a list that are described by the items of its model.
    @Suite(.timeLimit(.minutes(1)))
    struct ListModelTests {
        private let bench: TestBench
        private let strings: OpaquePointer

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            strings = try #require(gtk_string_list_new(nil))
        }

        @Test func `cells show what the items of their model say`() async throws {
            for name in ["sun", "moon", "none"] { gtk_string_list_append(strings, name) }
            let grid = makeGrid { [bench] item in
                guard let name = item.string, name != "none" else { return nil }
                let menu = name == "sun" ? PictureMenu() : nil
                let badge = name == "moon" ? PictureBadge.video(duration: 60) : nil
                let url = bench.server.url("/\(name)")
                return ListImage(url, label: name, menu: menu, badge: badge)
            }
            let stage = Stage(grid.widget, width: 400, height: 200)
            await stage.run { grid.views.count == 3 && grid.images == 2 }
            let texts = grid.views.map { $0.alternativeText }
            #expect(texts == ["sun", "moon", nil])
            #expect(grid.views.map { $0.kf.contextMenu != nil } == [true, false, false])
            #expect(grid.views.map { $0.kf.badge?.duration } == [nil, 60, nil])
            #expect(Set(bench.server.requests.map(\.path)) == ["/sun", "/moon"])
            // The model grows and shrinks, and the cells follow.
            gtk_string_list_append(strings, "star")
            gtk_string_list_remove(strings, 1)
            await stage.run { grid.requestedStar(bench) && grid.images == 2 }
            #expect(grid.cells.itemCount == 3)
        }

        @Test func `items ahead are loaded from the model`() async throws {
            for number in 0..<100 { gtk_string_list_append(strings, "\(number)") }
            let grid = makeGrid { [bench] item in
                ListImage(item.string.map { bench.server.url("/\($0)") })
            }
            let stage = Stage(grid.widget, width: 200, height: 150)
            await stage.run {
                grid.images > 0 && bench.server.requests.count >= grid.cells.prefetchCount
            }
            #expect(bench.server.requests.count < 60)
        }

        @Test(arguments: [false, true])
        func `of a model that is replaced the new items ahead are loaded, and no others`(
            isReloaded: Bool
        ) async throws {
            let gate = ServerGate()
            var prefix = "old"
            let append = { [strings] in
                for number in 0..<100 {
                    gtk_string_list_append(strings, isReloaded ? "\(number)" : "\(prefix)\(number)")
                }
            }
            append()
            bench.server.fallback { request in
                let png = ServerReply.body(TestImage.png(), type: "image/png")
                return request.path.hasPrefix("/old") ? .held(gate, then: png) : png
            }
            var described: Set<String> = []
            let grid = makeGrid { [bench] item in
                guard let text = item.string else { return nil }
                let name = isReloaded ? prefix + text : text
                described.insert(name)
                return ListImage(bench.server.url("/\(name)"))
            }
            grid.cells.options = [.cancelWhenSuperseded]
            let stage = Stage(grid.widget, width: 70, height: 100)
            // The first of those ahead.
            await stage.run { described.contains("old12") && bench.server.requests.count >= 6 }
            prefix = "new"
            if isReloaded {
                grid.cells.reload()
            } else {
                gtk_string_list_splice(strings, 0, 100, nil)
                append()
            }
            await stage.run { bench.server.requests.contains { $0.path == "/new20" } }
            try #require(!Task.isCancelled)
            // None of those before is loaded any more.
            await bench.server.abandoned(bench.server.requests.count { $0.path.hasPrefix("/old") })
            gate.open()
        }

        @Test func `an inserted item neither ends nor repeats the loads ahead`() async throws {
            let gate = ServerGate()
            let png = ServerReply.body(TestImage.png(), type: "image/png")
            bench.server.fallback { _ in .held(gate, then: png) }
            for number in 0..<100 { gtk_string_list_append(strings, "\(number)") }
            var described: Set<String> = []
            let grid = makeGrid { [bench] item in
                guard let text = item.string else { return nil }
                described.insert(text)
                return ListImage(bench.server.url("/\(text)"))
            }
            let stage = Stage(grid.widget, width: 70, height: 100)
            await stage.run { described.contains("12") && bench.server.requests.count >= 6 }
            "inserted".withCString { text in
                var texts: [UnsafePointer<CChar>?] = [text, nil]
                gtk_string_list_splice(strings, 0, 0, &texts)
            }
            await stage.run { described.contains("inserted") }
            await stage.paint()
            gate.open()
            await stage.run { bench.server.requests.contains { $0.path == "/12" } }
            // Those in sight get other cells.
            let inSight = ["/0", "/1"]
            let ahead = bench.server.requests.map(\.path).filter { !inSight.contains($0) }
            #expect(Set(ahead).count == ahead.count, "\(ahead)")
        }

        @Test func `of a model that is emptied nothing ahead is loaded any more`() async throws {
            let gate = ServerGate()
            bench.server.fallback { _ in .held(gate, then: .status(404)) }
            for number in 0..<100 { gtk_string_list_append(strings, "\(number)") }
            var described: Set<String> = []
            let grid = makeGrid { [bench] item in
                described.insert(item.string ?? "")
                return ListImage(item.string.map { bench.server.url("/\($0)") })
            }
            let stage = Stage(grid.widget, width: 70, height: 100)
            await stage.run { described.contains("12") && bench.server.requests.count >= 6 }
            gtk_string_list_splice(strings, 0, 100, nil)
            await stage.paint()
            await bench.server.abandoned(bench.server.requests.count)
            gate.open()
        }

        @Test func `reloading describes all cells again`() async throws {
            for number in 0..<3 { gtk_string_list_append(strings, "\(number)") }
            var prefix = "old"
            let grid = makeGrid { [bench] item in
                ListImage(item.string.map { bench.server.url("/\(prefix)\($0)") })
            }
            let stage = Stage(grid.widget, width: 400, height: 200)
            await stage.run { grid.images == 3 }
            prefix = "new"
            grid.cells.reload()
            await stage.run { bench.server.requests.count == 6 && grid.images == 3 }
            let paths = Set(bench.server.requests.suffix(3).map(\.path))
            #expect(paths == ["/new0", "/new1", "/new2"])
        }

        @Test func `a failure is reported with its cell, and shown`() async throws {
            gtk_string_list_append(strings, "a")
            bench.server.fallback { _ in .status(404) }
            let failure = KFCrossPlatformImage.solid(.pureBlue)
            let grid = makeGrid { [bench] _ in ListImage(bench.server.url("/a")) }
            var failures: [(Int, KingfisherError, ImageView)] = []
            grid.cells.failureImage = failure
            grid.cells.onFailure = { failures.append(($0, $1, $2)) }
            let stage = Stage(grid.widget, width: 200, height: 150)
            await stage.run { failures.count == 1 }
            #expect(failures[0].0 == 0)
            #expect(failures[0].1.isInvalidResponseStatusCode(404))
            #expect(failures[0].2.image === failure)
            grid.cells.retryFailedLoads()
            await stage.run { failures.count == 2 }
        }

        @Test func `a failure is reported once, although a load before it ends later`()
            async throws
        {
            gtk_string_list_append(strings, "a")
            let gate = ServerGate()
            bench.server.route("/slow", .gated(TestImage.jpeg(), at: [(0, gate)]))
            bench.server.route("/missing", .status(404))
            var path = "/slow"
            let grid = makeGrid { [bench] _ in ListImage(bench.server.url(path)) }
            var failures = 0
            grid.cells.onFailure = { _, _, _ in failures += 1 }
            let stage = Stage(grid.widget, width: 200, height: 150)
            await stage.run { bench.server.requests(for: "/slow").count == 1 }
            path = "/missing"
            grid.cells.reload()
            await stage.run { failures == 1 }
            gate.open()
            await stage.run { bench.cache.isCached(forKey: bench.server.url("/slow").cacheKey) }
            await stage.paint(frames: 8)
            #expect(failures == 1)
        }

        @Test func `a list that leaves its window while it moves needs no more frames`()
            async throws
        {
            let (grid, box, stage) = try await boxedGrid()
            let motion = try #require(grid.motion)
            var moves = 0
            motion.onMove = { moves += 1 }
            var place = 0.0
            await stage.run {
                place += 5
                grid.scroll(to: place)
                return moves > 2
            }
            gtk_box_remove(box.asBox, grid.widget)
            moves = 0
            await stage.paint(frames: 8)
            // The last one reports the end of the movement.
            #expect(moves <= 1)
        }

        @Test func `a list that moves to another window is followed there`() async throws {
            let (grid, box, stage) = try await boxedGrid()
            let motion = try #require(grid.motion)
            let newBox = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            let newStage = Stage(newBox)
            gtk_box_remove(box.asBox, grid.widget)
            gtk_box_append(newBox.asBox, grid.widget)
            await newStage.run { grid.views.contains { $0.controller.sight.isInSight } }
            #expect(grid.motion === motion)
            var moves = 0
            motion.onMove = { moves += 1 }
            grid.scroll(to: 300)
            await newStage.run { moves > 0 }
            withExtendedLifetime(stage) {}
        }

        @Test func `a selected cell has a frame on all sides of its image`() async throws {
            for name in ["a", "b"] { gtk_string_list_append(strings, name) }
            let red = try #require(
                KFCrossPlatformImage.solid(.pureRed, width: 60, height: 60).kf.pngRepresentation()
            )
            bench.server.fallback { _ in .body(red, type: "image/png") }
            let selection = gtk_single_selection_new(strings)
            let grid = makeGrid(selection: selection) { [bench] item in
                ListImage(item.string.map { bench.server.url("/\($0)") })
            }
            let stage = Stage(grid.widget, width: 300, height: 200)
            await stage.run { grid.images == 2 }
            await stage.paint()
            for selected in 0..<2 {
                gtk_single_selection_set_selected(selection, guint(selected))
                await stage.paint()
                let capture = try #require(stage.capture())
                for (index, view) in grid.views.enumerated() {
                    let edges = try edges(of: view, in: stage)
                    let framed = edges.map { !capture[$0.x, $0.y].isNear(.pureRed) }
                    #expect(framed == Array(repeating: index == selected, count: 4))
                }
            }
        }

        /// A grid of some screens, with an image, in the box of a window.
        private func boxedGrid() async throws -> (
            grid: ModelGrid, box: UnsafeMutablePointer<GtkWidget>, stage: Stage
        ) {
            for number in 0..<200 { gtk_string_list_append(strings, "\(number)") }
            let grid = makeGrid { [bench] item in
                ListImage(item.string.map { bench.server.url("/\($0)") })
            }
            gtk_widget_set_hexpand(grid.widget, 1)
            let box = try #require(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0))
            gtk_box_append(box.asBox, grid.widget)
            let stage = Stage(box)
            await stage.run { grid.images > 0 }
            return (grid, box, stage)
        }

        /// Points just inside the left, right, upper and lower edge of a view in its window.
        private func edges(of view: ImageView, in stage: Stage) throws -> [(x: Int, y: Int)] {
            var rect = graphene_rect_t()
            try #require(gtk_widget_compute_bounds(view.widget, stage.window, &rect) != 0)
            let (left, top) = (Int(rect.origin.x), Int(rect.origin.y))
            let (width, height) = (Int(rect.size.width), Int(rect.size.height))
            return [
                (left + 1, top + height / 2), (left + width - 2, top + height / 2),
                (left + width / 2, top + 1), (left + width / 2, top + height - 2),
            ]
        }

        private func makeGrid(
            selection: OpaquePointer? = nil,
            _ image: @escaping (ImageListItem) -> ListImage?
        ) -> ModelGrid {
            let cells = ImageListFactory(
                cellSize: CGSize(width: 60, height: 60),
                model: strings,
                image: image
            )
            cells.manager = bench.manager
            return ModelGrid(cells, selection ?? gtk_no_selection_new(strings))
        }
    }
}

/// A scrolled grid of a model, and its bound views in order.
private final class ModelGrid {
    let cells: ImageListFactory
    let widget: UnsafeMutablePointer<GtkWidget>
    private let grid: UnsafeMutablePointer<GtkWidget>
    /// Keeps the widget outside of a window.
    private let reference: GObjectReference

    init(_ cells: ImageListFactory, _ selection: OpaquePointer?) {
        self.cells = cells
        guard let grid = gtk_grid_view_new(selection, cells.makeFactory()),
            let window = gtk_scrolled_window_new()
        else { preconditionFailure("GTK has no memory") }
        self.grid = grid
        widget = window
        reference = GObjectReference(retaining: UnsafeMutableRawPointer(window))
        gtk_scrolled_window_set_child(OpaquePointer(window), grid)
    }

    var views: [ImageView] {
        var found: [ImageView] = []
        var cell = gtk_widget_get_first_child(grid)
        while let next = cell {
            if let picture = gtk_widget_get_first_child(next) {
                found.append(ImageView(picture: OpaquePointer(picture)))
            }
            cell = gtk_widget_get_next_sibling(next)
        }
        return found
    }

    /// The motion that its cells follow.
    var motion: ListMotion? { views.first.flatMap { ListMotion.of($0.widget) } }

    func scroll(to position: Double) {
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(widget))
        gtk_adjustment_set_value(adjustment, position)
    }

    /// The number of views with an image.
    var images: Int { views.count { $0.image != nil } }

    func requestedStar(_ bench: TestBench) -> Bool {
        bench.server.requests.contains { $0.path == "/star" }
    }
}
#endif
