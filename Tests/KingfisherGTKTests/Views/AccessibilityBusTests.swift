#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// What another program sees of the views on the real bus of assistive technology; run by the
    /// step `gtk` in a session with such a bus.
    @Suite(
        .timeLimit(.minutes(1)),
        .enabled(if: Stage.hasBus, "these tests need GTK_A11Y=atspi and a session")
    )
    struct AccessibilityBusTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test func `images and cells have names, and failures a reason`() async throws {
            bench.server.fallback { _ in .body(TestImage.png(), type: "image/png") }
            bench.server.route("/missing", .status(404))
            let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            let failed = ImageView()
            failed.alternativeText = "a red barn"
            let nameless = ImageView()
            let film = ImageView()
            film.alternativeText = "the race"
            film.kf.badge = .video(duration: 83)
            for view in [failed, nameless, film] {
                view.setSizeRequest(width: 60, height: 40)
                gtk_box_append(box.asBox, view.widget)
            }
            let cells = ImageListFactory(cellSize: CGSize(width: 60, height: 60), itemCount: 2) {
                [bench] in .network(bench.server.url("/\($0)"))
            }
            cells.manager = bench.manager
            cells.onBind = { position, view in view.alternativeText = "cell \(position)" }
            let grid = Grid(cells, count: 2)
            gtk_widget_set_size_request(grid.widget, 200, 80)
            gtk_box_append(box.asBox, grid.widget)
            let rows = ImageRowFactory { Row() }
            let strings = gtk_string_list_new(nil)
            gtk_string_list_append(strings, "a post")
            let list = gtk_list_view_new(gtk_no_selection_new(strings), rows.makeFactory())
            gtk_box_append(box.asBox, list)
            let stage = Stage(box, width: 220, height: 340)
            let loading = Loading()
            let missing = bench.server.url("/missing")
            failed.controller.loader.load(missing, by: bench.manager, into: loading)
            await stage.run { loading.results.count == 1 }
            await stage.paint()
            let seen = try await lookAtBus()
            #expect(seen.contains("image|a red barn|The server answered 404 Not Found."))
            #expect(seen.contains("image||"))
            #expect(seen.contains("image|the race, video, 1:23|the race"))
            #expect(seen.contains("table cell|cell 0|"))
            #expect(seen.contains("table cell|cell 1|"))
            #expect(seen.contains("image|cell 1|cell 1"))
            #expect(seen.contains { $0.hasSuffix("|a post, a photo|") })
            #expect(!seen.contains { $0.contains("GtkPicture") || $0.contains("ListItem") })
        }

        /// Role, name and description of every object on the bus, read by another program.
        private func lookAtBus() async throws -> [String] {
            let script = """
                import gi, time
                gi.require_version("Atspi", "2.0")
                from gi.repository import Atspi
                Atspi.init()
                desktop = Atspi.get_desktop(0)
                def walk(node):
                    print("|".join((node.get_role_name(), node.get_name(), node.get_description())))
                    for index in range(node.get_child_count()): walk(node.get_child_at_index(index))
                for index in range(desktop.get_child_count()):
                    walk(desktop.get_child_at_index(index))
                """
            let python = Process()
            python.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            python.arguments = ["-c", script]
            let output = bench.folder.file("bus")
            try Data().write(to: output)
            python.standardOutput = try FileHandle(forWritingTo: output)
            python.terminationHandler = { _ in LoopEvents.wake() }
            try python.run()
            await Stage.run { !python.isRunning }
            #expect(python.terminationStatus == 0)
            return try String(contentsOf: output, encoding: .utf8).components(separatedBy: "\n")
        }
    }
}

/// A row with a text and an image.
private final class Row: ImageListRow {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let label: OpaquePointer

    init() {
        guard let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0), let text = gtk_label_new(nil)
        else { preconditionFailure("GTK has no memory") }
        widget = box
        label = OpaquePointer(text)
        let photo = ImageView()
        photo.alternativeText = "a photo"
        gtk_box_append(box.asBox, text)
        gtk_box_append(box.asBox, photo.widget)
    }

    func show(_ item: ImageListItem) { gtk_label_set_text(label, item.string) }
}
#endif
