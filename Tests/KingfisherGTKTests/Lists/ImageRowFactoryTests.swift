#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Lists of rows with several images, like a feed.
    @Suite(.timeLimit(.minutes(1)))
    struct ImageRowFactoryTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
            bench.server.fallback { request in
                let number = Int(request.path.dropFirst(2)) ?? 0
                let png = TestImage.png(width: 20 + number % 40, height: 20)
                return .body(png, type: "image/png")
            }
        }

        @Test func `every settled row of a scrolled feed shows all images of its item`()
            async throws
        {
            var posts: [Post] = []
            let feed = try Feed(count: 400) { [bench] in
                let post = Post(bench)
                posts.append(post)
                return post
            }
            let stage = Stage(feed.widget, width: 240, height: 200)
            await stage.paint()
            for step in 1...20 {
                feed.scroll(to: Double(step) * 300)
                await stage.paint(frames: 1)
            }
            await stage.run {
                let visible = posts.filter(\.isVisible)
                return !visible.isEmpty && visible.allSatisfy(\.isComplete)
            }
            for post in posts where post.isVisible {
                let item = try #require(post.item)
                #expect(item.string == "\(item.position)")
                for view in [post.left, post.right, post.below.view] {
                    #expect(view.image?.pixelWidth == 20 + item.position % 40)
                }
            }
            // Rows that only passed were not requested.
            #expect(bench.server.requests.count < 300)
            // Rows out of sight hold no images once their window was laid out.
            await stage.paint()
            #expect(posts.filter { !$0.isVisible }.allSatisfy { $0.left.image == nil })
        }

        @Test func `a row may be a single view that nothing else retains`() async throws {
            var rows: [BareRow] = []
            let feed = try Feed(count: 40) {
                let row = BareRow()
                rows.append(row)
                return row
            }
            let stage = Stage(feed.widget, width: 240, height: 200)
            await stage.paint()
            #expect(rows.contains { gtk_widget_get_mapped($0.widget) != 0 })
        }

        @Test func `rows are cleared before they show another item, and go with their list`()
            async throws
        {
            var made = 0
            var cleared = 0
            let ended = Counter()
            let feed = try Feed(count: 400) { [bench] in
                made += 1
                let post = Post(bench)
                post.onClear = { [weak post] in
                    guard let post else { return }
                    cleared += 1
                    #expect(post.left.kf.taskIdentifier == nil)
                    #expect(post.left.controller.loader.pending == nil)
                    #expect(post.left.image == nil)
                    #expect(post.below.view.image == nil)
                }
                post.ended = ended
                return post
            }
            let stage = Stage(feed.widget, width: 240, height: 200)
            await stage.paint()
            for step in 1...10 {
                feed.scroll(to: Double(step) * 1_000)
                await stage.paint(frames: 1)
            }
            #expect(cleared > 0)
            stage.close()
            await Stage.run { ended.value == made }
        }

        @Test func `a completion may remove the next image of a row that is cleared`()
            async throws
        {
            let ended = Counter()
            var row: FragileRow?
            let feed = try Feed(count: 1) { [bench] in
                let made = FragileRow(bench) { ended.value += 1 }
                row = made
                return made
            }
            let stage = Stage(feed.widget, width: 240, height: 200)
            await Stage.run { row?.isBound == true }
            // Both loads wait to be seen.
            feed.removeFirst()
            // GTK 4.18 clears the row later than 4.8 does.
            await Stage.run { ended.value == 1 }
            await stage.paint()
        }

        @Test(arguments: LateRow.Kind.allCases)
        func `an image that is first used when its row is filled loads when it is visible`(
            kind: LateRow.Kind
        ) async throws {
            var rows: [LateRow] = []
            let feed = try Feed(count: 400) { [bench] in
                let row = LateRow(bench, kind)
                rows.append(row)
                return row
            }
            let stage = Stage(feed.widget, width: 240, height: 200)
            await stage.paint()
            var visible: [LateRow] { rows.filter(\.isVisible) }
            await stage.run { !visible.isEmpty && visible.allSatisfy { $0.image != nil } }
            await stage.paint()
            #expect(rows.count > 2 * visible.count)
            #expect(bench.server.requests.count <= visible.count)
        }

        @Test func `a row chooses when its images load`() async throws {
            var rows: [LateRow] = []
            let feed = try Feed(count: 1) { [bench] in
                let row = LateRow(bench, .view)
                row.loadStart = .immediately
                rows.append(row)
                return row
            }
            let stage = Stage(feed.widget, width: 240, height: 200)
            await stage.paint()
            #expect(rows.first?.view?.kf.loadStart == .immediately)
        }

        @Test func `a list attaches the main loop`() async throws {
            await #expect(processExitsWith: .success) {
                await MainActor.run {
                    guard gtk_init_check() != 0 else { exit(2) }
                    let cells = ImageListFactory(
                        cellSize: CGSize(width: 10, height: 10),
                        itemCount: 0
                    ) { _ in nil }
                    g_object_unref(UnsafeMutableRawPointer(cells.makeFactory()))
                    exit(MainLoop.isRequested ? 0 : 1)
                }
            }
        }

        @Test func `an item of another model has no text`() throws {
            let object = try #require(gtk_adjustment_new(0, 0, 1, 1, 1, 1))
            g_object_ref_sink(UnsafeMutableRawPointer(object))
            defer { g_object_unref(UnsafeMutableRawPointer(object)) }
            let item = ImageListItem(position: 3, object: UnsafeMutableRawPointer(object))
            #expect(item.string == nil)
            #expect(ImageListItem(position: 3, object: nil).string == nil)
        }
    }
}

private final class Counter {
    var value = 0 {
        didSet { LoopEvents.wake() }
    }
}

/// A row with two pictures side by side and a ``KFImage`` below.
private final class Post: ImageListRow {
    let widget: UnsafeMutablePointer<GtkWidget>
    let left = ImageView()
    let right = ImageView()
    let below: KFImage
    var onClear: (() -> Void)?
    var ended: Counter?
    private(set) var item: ImageListItem?
    private let bench: TestBench

    init(_ bench: TestBench) {
        self.bench = bench
        below = KFImage(nil as URL?).targetCache(bench.cache).downloader(bench.downloader)
        guard let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0),
            let line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
        else { preconditionFailure("GTK has no memory") }
        widget = column
        for view in [left, right, below.view] { view.setSizeRequest(width: 60, height: 20) }
        gtk_box_append(line.asBox, left.widget)
        gtk_box_append(line.asBox, right.widget)
        gtk_box_append(column.asBox, line)
        gtk_box_append(column.asBox, below.widget)
    }

    isolated deinit { ended?.value += 1 }

    func show(_ item: ImageListItem) {
        self.item = item
        guard let text = item.string else { return }
        for (view, name) in [(left, "a"), (right, "b")] {
            _ = view.controller.loader.load(
                .network(bench.server.url("/\(name)\(text)")),
                placeholder: nil,
                options: KingfisherParsedOptionsInfo(nil),
                by: bench.manager,
                progress: nil,
                completion: nil
            )
        }
        below.bind(to: bench.server.url("/c\(text)"))
    }

    func clear() {
        item = nil
        onClear?()
    }

    var isVisible: Bool { item != nil && kf_widget_is_in_sight(left.gtkPicture.asRaw) }

    var isComplete: Bool {
        [left, right, below.view].allSatisfy {
            $0.image != nil || !kf_widget_is_in_sight($0.gtkPicture.asRaw)
        }
    }
}

/// A picture without a handle.
private final class BareRow: ImageListRow {
    let widget: UnsafeMutablePointer<GtkWidget>

    init() {
        guard let picture = gtk_picture_new() else { preconditionFailure("GTK has no memory") }
        widget = picture
        gtk_widget_set_size_request(picture, 60, 20)
        kf(OpaquePointer(picture)).loadStart = .whenVisible
    }

    func show(_ item: ImageListItem) { kf(OpaquePointer(widget)).image = .solid(.pureRed) }
}

/// Two pictures that only their box retains; the end of the first one's load removes the second.
private final class FragileRow: ImageListRow {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let bench: TestBench
    private let onEnd: () -> Void
    private(set) var isBound = false

    init(_ bench: TestBench, onEnd: @escaping () -> Void) {
        self.bench = bench
        self.onEnd = onEnd
        guard let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0) else {
            preconditionFailure("GTK has no memory")
        }
        widget = box
        for _ in 0..<2 {
            let view = ImageView()
            view.setSizeRequest(width: 60, height: 20)
            view.image = nil
            gtk_box_append(box.asBox, view.widget)
        }
    }

    func show(_ item: ImageListItem) {
        guard let first = gtk_widget_get_first_child(widget),
            let second = gtk_widget_get_last_child(widget)
        else { return }
        load("/a1", in: first) { [widget, onEnd] in
            gtk_box_remove(widget.asBox, second)
            onEnd()
        }
        load("/b1", in: second) {}
        isBound = true
    }

    private func load(
        _ path: String,
        in picture: UnsafeMutablePointer<GtkWidget>,
        onEnd: @escaping () -> Void
    ) {
        _ = PictureController.of(UnsafeMutableRawPointer(picture)).loader.load(
            .network(bench.server.url(path)),
            placeholder: nil,
            options: KingfisherParsedOptionsInfo(nil),
            by: bench.manager,
            progress: nil,
            completion: { _ in onEnd() }
        )
    }
}

/// A row that makes its view when it is filled for the first time.
final class LateRow: ImageListRow {
    /// How the view is made.
    enum Kind: CaseIterable { case picture, view, viewInRow, image }

    let widget: UnsafeMutablePointer<GtkWidget>
    var loadStart: LoadStart?
    private(set) var view: ImageView?
    private var kept: KFImage?
    private let bench: TestBench
    private let kind: Kind

    init(_ bench: TestBench, _ kind: Kind) {
        self.bench = bench
        self.kind = kind
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0) else {
            preconditionFailure("GTK has no memory")
        }
        widget = box
        gtk_widget_set_size_request(box, 60, 40)
    }

    var image: KFCrossPlatformImage? { view?.image }
    var isVisible: Bool { kf_widget_is_in_sight(UnsafeMutableRawPointer(widget)) }

    func show(_ item: ImageListItem) {
        let url = bench.server.url("/l\(item.position)")
        if kind == .image {
            let made =
                kept
                ?? KFImage(nil as URL?).targetCache(bench.cache)
                .downloader(bench.downloader)
            if kept == nil { add(made.widget, made.view) }
            kept = made
            return made.bind(to: url)
        }
        let isNew = view == nil
        let made = view ?? makeView()
        if isNew, kind != .view { add(made.widget, made) }
        _ = made.controller.loader.load(
            .network(url),
            placeholder: nil,
            options: KingfisherParsedOptionsInfo(nil),
            by: bench.manager
        )
        if isNew, kind == .view { add(made.widget, made) }
    }

    private func makeView() -> ImageView {
        guard kind == .picture, let picture = gtk_picture_new() else {
            let view = ImageView()
            if let loadStart { view.kf.loadStart = loadStart }
            return view
        }
        return ImageView(picture: OpaquePointer(picture))
    }

    private func add(_ child: UnsafeMutablePointer<GtkWidget>, _ view: ImageView) {
        view.setSizeRequest(width: 60, height: 40)
        self.view = view
        gtk_box_append(widget.asBox, child)
    }
}

extension OpaquePointer {
    fileprivate var asRaw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(self) }
}

/// A scrolled list view.
private final class Feed {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let adjustment: UnsafeMutablePointer<GtkAdjustment>
    private let strings: OpaquePointer

    init(count: Int, makeRow: @escaping () -> any ImageListRow) throws {
        strings = try #require(gtk_string_list_new(nil))
        for number in 0..<count { gtk_string_list_append(strings, "\(number)") }
        let factory = ImageRowFactory(makeRow: makeRow).makeFactory()
        let list = try #require(gtk_list_view_new(gtk_no_selection_new(strings), factory))
        widget = try #require(gtk_scrolled_window_new())
        adjustment = try #require(gtk_scrolled_window_get_vadjustment(OpaquePointer(widget)))
        gtk_scrolled_window_set_child(OpaquePointer(widget), list)
    }

    func scroll(to position: Double) { gtk_adjustment_set_value(adjustment, position) }

    func removeFirst() { gtk_string_list_remove(strings, 0) }
}
#endif
