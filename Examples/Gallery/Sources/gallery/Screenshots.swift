import CGalleryGTK
import Foundation

/// Writes a PNG of every page.
struct Screenshots {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let window: GalleryWindow
    let folder: URL
    /// Follows the page in the files' names; a screen of density 2 adds "@2x".
    let suffix: String
    /// The size of the window that was asked for.
    let size: (width: Int32, height: Int32)?

    func run() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in window.pageNames {
            guard let page = window.show(name) else { continue }
            let deadline = ContinuousClock.now + .seconds(30)
            while !page.isReady {
                guard ContinuousClock.now < deadline else {
                    throw Failure(description: "page \(name) is not ready after 30 s")
                }
                try await Task.sleep(for: .milliseconds(20))
            }
            // Transitions run for 0.3 s.
            try await Task.sleep(for: .milliseconds(600))
            try checkSize(of: name)
            let density = scale > 1 ? "@\(scale)x" : ""
            try save(folder.appendingPathComponent("\(name)\(suffix)\(density).png"))
        }
    }

    /// Fails if a page needs more room than the window was asked to have.
    private func checkSize(of name: String) throws {
        guard let size else { return }
        let width = gtk_widget_get_width(window.window)
        let height = gtk_widget_get_height(window.window)
        guard width > size.width || height > size.height else { return }
        let needed = "\(width) × \(height) instead of \(size.width) × \(size.height)"
        throw Failure(description: "page \(name) needs \(needed)")
    }

    private var scale: Int32 { gtk_widget_get_scale_factor(window.window) }

    private func save(_ file: URL) throws {
        let paintable = gtk_widget_paintable_new(window.window)
        defer { g_object_unref(UnsafeMutableRawPointer(paintable)) }
        // Includes the frame of the window, which its widget's own size does not.
        let width = gdk_paintable_get_intrinsic_width(paintable)
        let height = gdk_paintable_get_intrinsic_height(paintable)
        let snapshot = gtk_snapshot_new()
        let factor = Float(scale)
        gtk_snapshot_scale(snapshot, factor, factor)
        gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
        // The whole window, including unpainted areas.
        var bounds = graphene_rect_t()
        graphene_rect_init(&bounds, 0, 0, Float(width) * factor, Float(height) * factor)
        guard let node = gtk_snapshot_free_to_node(snapshot),
            let renderer = gtk_native_get_renderer(window.window.opaque),
            let texture = gsk_renderer_render_texture(renderer, node, &bounds)
        else { throw Failure(description: "the window has painted nothing") }
        defer {
            gsk_render_node_unref(node)
            g_object_unref(UnsafeMutableRawPointer(texture))
        }
        guard gdk_texture_save_to_png(texture, file.path) != 0 else {
            throw Failure(description: "\(file.path) cannot be written")
        }
        print(file.path)
    }
}
