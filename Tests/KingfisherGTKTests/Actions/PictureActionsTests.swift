#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Copying, saving and dragging images, with the bytes of their files.
    @Suite(.timeLimit(.minutes(1)))
    struct PictureActionsTests {
        private let bench: TestBench
        private let file = TestImage.jpeg(width: 320, height: 240)

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        // MARK: Copying

        @Test func `a copy offers the bytes of the file and the pixels`() async throws {
            let (view, stage) = try await loaded("/a.jpg")
            #expect((view.image?.pixelWidth ?? 0) < 320)
            try await view.kf.copyImage()
            let clipboard = gtk_widget_get_clipboard(view.widget)
            let content = OpaquePointer(try #require(gdk_clipboard_get_content(clipboard)))
            #expect(offers(content, "image/jpeg"))
            #expect(offersTexture(content))
            #expect(try await bytes(content, "image/jpeg") == file)
            stage.close()
        }

        @Test func `the menu copies the file of the image`() async throws {
            let (view, stage) = try await loaded("/a.jpg")
            view.kf.contextMenu = PictureMenu()
            let clipboard = gtk_widget_get_clipboard(view.widget)
            gdk_clipboard_set_content(clipboard, nil)
            try activate("kingfisher.copy", of: view)
            await stage.run { gdk_clipboard_get_content(clipboard) != nil }
            let content = OpaquePointer(try #require(gdk_clipboard_get_content(clipboard)))
            #expect(try await bytes(content, "image/jpeg") == file)
            stage.close()
        }

        @Test func `a file that the cache no longer has is downloaded again`() async throws {
            let (view, stage) = try await loaded("/a.jpg")
            await bench.cache.clearDiskCache()
            #expect(try await view.kf.originalData() == file)
            #expect(bench.server.requests.count == 2)
            stage.close()
        }

        @Test func `a view is kept until its image is saved`() async throws {
            let gate = ServerGate()
            let target = bench.folder.file("saved.jpg")
            weak var controller: PictureController?
            var outlivesView: Bool?
            let saving: Task<Void, any Error>
            do {
                let (view, stage) = try await loaded("/a.jpg")
                await bench.cache.clearDiskCache()
                bench.server.fallback { [file] _ in .gated(file, at: [(0, gate)]) }
                controller = view.controller
                let picture = view.gtkPicture
                let end = AtEnd {
                    Task {
                        outlivesView = controller != nil
                        LoopEvents.wake()
                    }
                }
                AtEnd.data.set(end, on: UnsafeMutableRawPointer(picture))
                saving = Task { try await kf(picture).saveImage(to: target) }
                await stage.run { bench.server.requests.count == 2 }
                stage.close()
            }
            gate.open()
            await Stage.run { outlivesView != nil }
            #expect(outlivesView == false)
            try await saving.value
            #expect(try Data(contentsOf: target) == file)
        }

        @Test func `an image without a source is copied as a PNG`() async throws {
            let view = ImageView()
            await #expect(throws: KingfisherError.self) { try await view.kf.copyImage() }
            view.image = .solid(.pureRed)
            let data = try await view.kf.originalData()
            #expect(data.kf.imageFormat == .PNG)
        }

        @Test func `an own image that ends a transition is copied instead of the loaded one`()
            async throws
        {
            let (view, stage) = try await loaded("/a.jpg", transition: .fade(1_000))
            #expect(view.controller.content.transition != nil)
            view.image = .solid(.pureRed)
            #expect(view.controller.content.transition == nil)
            #expect(try await view.kf.originalData().kf.imageFormat == .PNG)
            #expect(view.controller.loader.shownLoad == nil)
            stage.close()
        }

        @Test func `a copy is of the image that was shown when it began`() async throws {
            let (view, stage) = try await loaded("/a.jpg")
            let gate = ServerGate()
            bench.server.route("/a.jpg", .gated(file, at: [(0, gate)]))
            await bench.cache.clearDiskCache()
            let copying = Task { try await view.kf.copyImage() }
            await stage.run { bench.server.requests.count == 2 }
            let url = bench.folder.file("other.jpg")
            try TestImage.jpeg(width: 8, height: 8).write(to: url)
            let other = LocalFileImageDataProvider(fileURL: url)
            view.kf.setImage(with: other, options: [.targetCache(bench.cache)])
            await stage.run { view.controller.loader.shownLoad?.source.url == url }
            gate.open()
            try await copying.value
            let clipboard = gtk_widget_get_clipboard(view.widget)
            let content = OpaquePointer(try #require(gdk_clipboard_get_content(clipboard)))
            #expect(try await bytes(content, "image/jpeg") == file)
            #expect(!offers(content, g_file_get_type()))
            stage.close()
        }

        // MARK: Saving

        @Test func `the menu saves the bytes of the file under the name of its URL`() async throws {
            let (view, stage) = try await loaded("/photos/sea.jpg?size=2")
            let target = bench.folder.file("saved.jpg")
            try Data("before".utf8).write(to: target)
            view.kf.contextMenu = PictureMenu()
            var names: [String] = []
            let note = { (name: String) in names.append(name) }
            try await choosing(target, names: note) {
                try activate("kingfisher.save", of: view)
                await stage.run { (try? Data(contentsOf: target)) == file }
            }
            #expect(names == ["sea.jpg"])
        }

        @Test func `a file that cannot be written is reported, and nothing is left of it`()
            async throws
        {
            let (view, stage) = try await loaded("/a.jpg")
            var errors: [any Error] = []
            view.kf.contextMenu = PictureMenu { error in
                errors.append(error)
                LoopEvents.wake()
            }
            let target = bench.folder.file("missing/a.jpg")
            try await choosing(target) {
                try activate("kingfisher.save", of: view)
                await stage.run { errors.count == 1 }
            }
            #expect(!FileManager.default.fileExists(atPath: target.path))
        }

        @Test func `a place without a path that cannot be written is reported`() async throws {
            let (view, stage) = try await loaded("/a.jpg")
            var errors: [any Error] = []
            view.kf.contextMenu = PictureMenu { error in
                errors.append(error)
                LoopEvents.wake()
            }
            let target = try #require(URL(string: "unheard-of://server/a.jpg"))
            try await choosing(target) {
                try activate("kingfisher.save", of: view)
                await stage.run { errors.count == 1 }
            }
            #expect(errors.first?.localizedDescription.isEmpty == false)
        }

        @Test func `the dialog for a file closes with its window, and keeps no image`()
            async throws
        {
            var loaded: (ImageView, Stage)? = try await loaded("/a.jpg")
            let stage = try #require(loaded?.1)
            weak let controller = loaded?.0.controller
            loaded?.0.kf.contextMenu = PictureMenu()
            try activate("kingfisher.save", of: try #require(loaded?.0))
            let count = { g_list_model_get_n_items(gtk_window_get_toplevels()) }
            let before = count()
            await Stage.run { count() > before }
            // A chooser that is closed while it reads the folder opens a dialog with an error.
            let dialog = g_list_model_get_item(gtk_window_get_toplevels(), before)
            let widget = try #require(dialog).assumingMemoryBound(to: GtkWidget.self)
            // The pointer shows that the folder is being read.
            await Stage.run {
                gtk_widget_get_mapped(widget) != 0 && gtk_widget_get_cursor(widget) == nil
            }
            g_object_unref(dialog)
            loaded = nil
            stage.close()
            await Stage.run { controller == nil }
            await Stage.run { count() < before }
        }

        // MARK: Dragging

        @Test func `a drag offers the pixels at once, and the file when it was read`() async throws
        {
            let (view, stage) = try await loaded("/a.jpg")
            view.kf.isDraggable = true
            let actions = view.controller.actions
            let early = try #require(actions.dragContent())
            #expect(offersTexture(OpaquePointer(early.address)))
            #expect(!offers(OpaquePointer(early.address), "image/jpeg"))
            actions.pointerChanged(isPressed: true)
            var content: GObjectReference?
            await stage.run {
                content = actions.dragContent()
                return content.map { offers(OpaquePointer($0.address), "image/jpeg") } == true
            }
            let provider = OpaquePointer(try #require(content).address)
            #expect(try await bytes(provider, "image/jpeg") == file)
            // File managers take only files: a copy with the name of the URL.
            let copy = try #require(draggedFile(provider))
            #expect(copy.lastPathComponent == "a.jpg")
            #expect(try Data(contentsOf: copy) == file)
            // The file is not kept after the pointer was released.
            actions.pointerChanged(isPressed: false)
            let late = try #require(actions.dragContent())
            #expect(!offers(OpaquePointer(late.address), "image/jpeg"))
            view.kf.isDraggable = false
        }

        @Test func `an empty view cannot be dragged`() {
            let view = ImageView()
            view.kf.isDraggable = true
            view.controller.actions.pointerChanged(isPressed: true)
            #expect(view.controller.actions.dragContent() == nil)
        }

        @Test func `of a local file the file itself is offered`() async throws {
            let url = bench.folder.file("own.jpg")
            try file.write(to: url)
            let (view, stage) = try await loaded(
                .provider(LocalFileImageDataProvider(fileURL: url))
            )
            let content = try #require(view.controller.actions.dragContent())
            // GTK gives other programs its address.
            #expect(offers(OpaquePointer(content.address), g_file_get_type()))
            stage.close()
        }

        // MARK: Helpers

        private func loaded(
            _ path: String,
            transition: ImageTransition = .none
        ) async throws -> (ImageView, Stage) {
            bench.server.fallback { [file] _ in .body(file, type: "image/jpeg") }
            return try await loaded(.network(bench.server.url(path)), transition: transition)
        }

        /// Loads an image, and returns when its transition begins, if it has one.
        private func loaded(
            _ source: Source,
            transition: ImageTransition = .none
        ) async throws -> (ImageView, Stage) {
            let view = ImageView()
            view.setSizeRequest(width: 80, height: 60)
            let stage = Stage(view.widget)
            await stage.paint()
            let loading = Loading()
            var options = KingfisherParsedOptionsInfo(nil)
            options.waitForCache = true
            options.transition = transition
            _ = view.controller.loader.load(
                source,
                placeholder: nil,
                options: options,
                by: bench.manager,
                progress: nil,
                completion: { loading.results.append($0) }
            )
            await stage.run {
                loading.results.count == 1 || view.controller.content.transition != nil
            }
            if view.controller.content.transition == nil { _ = try loading.value() }
            return (view, stage)
        }

        /// Answers the question for a file while `body` runs.
        private func choosing(
            _ url: URL,
            names: @escaping (String) -> Void = { _ in },
            _ body: () async throws -> Void
        ) async throws {
            let before = PictureActions.chooseFile
            defer { PictureActions.chooseFile = before }
            PictureActions.chooseFile = { _, _, name, answer in
                names(name)
                let file = g_file_new_for_uri(url.absoluteString)
                answer(file.map { GObjectReference(adopting: UnsafeMutableRawPointer($0)) })
            }
            try await body()
        }

        private func activate(_ action: String, of view: ImageView) throws {
            try #require(gtk_widget_activate_action_variant(view.widget, action, nil) != 0)
        }

        private func offers(_ content: OpaquePointer, _ type: String) -> Bool {
            let formats = gdk_content_provider_ref_formats(content.asContent)
            defer { gdk_content_formats_unref(formats) }
            return gdk_content_formats_contain_mime_type(formats, type) != 0
        }

        private func offersTexture(_ content: OpaquePointer) -> Bool {
            offers(content, gdk_texture_get_type())
        }

        private func offers(_ content: OpaquePointer, _ type: GType) -> Bool {
            let formats = gdk_content_provider_ref_formats(content.asContent)
            defer { gdk_content_formats_unref(formats) }
            return gdk_content_formats_contain_gtype(formats, type) != 0
        }

        /// The file that GTK gives a program that asks for files.
        private func draggedFile(_ content: OpaquePointer) -> URL? {
            var value = GValue()
            g_value_init(&value, g_file_get_type())
            defer { g_value_unset(&value) }
            guard gdk_content_provider_get_value(content.asContent, &value, nil) != 0,
                let path = g_file_get_path(OpaquePointer(g_value_get_object(&value)))
            else { return nil }
            defer { g_free(path) }
            return URL(fileURLWithPath: String(cString: path))
        }

        /// What another program gets that asks for a media type.
        private func bytes(_ content: OpaquePointer, _ type: String) async throws -> Data {
            let stream = try #require(g_memory_output_stream_new_resizable())
            defer { g_object_unref(UnsafeMutableRawPointer(stream)) }
            let written = Written()
            gdk_content_provider_write_mime_type_async(
                content.asContent,
                type,
                stream,
                0,
                nil,
                { _, _, context in
                    guard let context else { return }
                    Unmanaged<Written>.fromOpaque(context).takeRetainedValue().isDone = true
                },
                Unmanaged.passRetained(written).toOpaque()
            )
            await Stage.run { written.isDone }
            let memory = UnsafeMutableRawPointer(stream)
                .assumingMemoryBound(to: GMemoryOutputStream.self)
            let count = g_memory_output_stream_get_data_size(memory)
            guard let data = g_memory_output_stream_get_data(memory) else { return Data() }
            return Data(bytes: data, count: Int(count))
        }
    }
}

/// `@unchecked`: written and read on the main actor's loop alone.
nonisolated private final class Written: @unchecked Sendable {
    var isDone = false
}

extension OpaquePointer {
    /// The pointer as a GdkContentProvider.
    fileprivate var asContent: UnsafeMutablePointer<GdkContentProvider> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GdkContentProvider.self)
    }
}

/// Calls a closure when the object that it is attached to is finalised.
private final class AtEnd {
    static let data = ObjectData<AtEnd>(name: "test-end")

    private let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }

    isolated deinit { body() }
}
#endif
