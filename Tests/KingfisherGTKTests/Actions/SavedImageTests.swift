#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Which file is saved, copied and dragged while a view is between two images.
    @Suite(.timeLimit(.minutes(1)))
    struct SavedImageTests {
        private let bench: TestBench
        private let file = TestImage.jpeg(width: 320, height: 240)
        private let gate = ServerGate()
        private let view: ImageView
        private let stage: Stage

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
            bench.server.fallback { [file] _ in .body(file, type: "image/jpeg") }
            bench.server.route("/missing.jpg", .status(404))
            bench.server.route("/slow.jpg", .held(gate, then: .body(file, type: "image/jpeg")))
            view = ImageView()
            view.setSizeRequest(width: 80, height: 60)
            stage = Stage(view.widget)
        }

        @Test(arguments: ["/slow.jpg", "/missing.jpg"])
        func `an image that stays while the next one loads, or fails, is saved as its file`(
            next: String
        ) async throws {
            try await load("/a.jpg")
            start(next) { $0.keepCurrentImageWhileLoading = true }
            let loader = view.controller.loader
            if next == "/missing.jpg" { await stage.run { loader.failure != nil } }
            #expect(view.image != nil)
            #expect(try await view.kf.originalData() == file)
            view.controller.actions.pointerChanged(isPressed: true)
            await stage.run { view.controller.actions.dragContent().map(offersFile) == true }
            // An image of the caller's has no file.
            view.image = .solid(.pureRed)
            #expect(try await view.kf.originalData().kf.imageFormat == .PNG)
            gate.open()
            stage.close()
        }

        @Test func `the next image that has replaced one is saved as its own file`() async throws {
            let other = TestImage.jpeg(width: 200, height: 150)
            bench.server.route("/b.jpg", .body(other, type: "image/jpeg"))
            try await load("/a.jpg")
            try await load("/b.jpg") { $0.keepCurrentImageWhileLoading = true }
            #expect(try await view.kf.originalData() == other)
            stage.close()
        }

        @Test func `a file is saved under the name that it had when it was chosen`() async throws {
            try await load("/sea.jpg")
            await bench.cache.clearCache()
            bench.server.route("/sea.jpg", .held(gate, then: .body(file, type: "image/jpeg")))
            view.kf.contextMenu = PictureMenu()
            var names: [String] = []
            let before = PictureActions.chooseFile
            defer { PictureActions.chooseFile = before }
            PictureActions.chooseFile = { _, _, name, answer in
                names.append(name)
                answer(nil)
            }
            let isSaving = gtk_widget_activate_action_variant(view.widget, "kingfisher.save", nil)
            try #require(isSaving != 0)
            await stage.run { bench.server.requests(for: "/sea.jpg").count == 2 }
            try await load("/moon.jpg")
            gate.open()
            await stage.run { !names.isEmpty }
            #expect(names == ["sea.jpg"])
            stage.close()
        }

        @Test func `a placeholder is neither saved nor dragged, and has no menu`() async throws {
            await stage.paint()
            let widget = UnsafeMutableRawPointer(view.widget)
            view.kf.contextMenu = PictureMenu()
            view.kf.isDraggable = true
            start("/slow.jpg", placeholder: .solid(.pureBlue))
            #expect(view.image != nil)
            try await expectNothingToSave()
            gate.open()
            await stage.run { view.controller.loader.shownLoad != nil }
            await stage.paint()
            kf_widget_open_menu(widget)
            #expect(kf_widget_has_open_menu(widget))
            view.kf.contextMenu = nil
            stage.close()
        }

        @Test func `the image of a failure is neither saved nor dragged, and has no menu`()
            async throws
        {
            await stage.paint()
            view.kf.contextMenu = PictureMenu()
            view.kf.isDraggable = true
            start("/missing.jpg") { $0.onFailureImage = .some(.solid(.pureRed)) }
            await stage.run { view.controller.loader.failure != nil }
            await stage.paint()
            #expect(view.image != nil)
            try await expectNothingToSave()
            // It stays while the next one loads.
            start("/slow.jpg") { $0.keepCurrentImageWhileLoading = true }
            #expect(view.image != nil)
            try await expectNothingToSave()
            gate.open()
            await stage.run { view.controller.loader.shownLoad != nil }
            stage.close()
        }

        private func expectNothingToSave() async throws {
            let widget = UnsafeMutableRawPointer(view.widget)
            kf_widget_open_menu(widget)
            #expect(!kf_widget_has_open_menu(widget))
            #expect(view.controller.actions.dragContent() == nil)
            await #expect(throws: KingfisherError.self) { try await view.kf.originalData() }
            await #expect(throws: KingfisherError.self) { try await view.kf.copyImage() }
        }

        private func load(
            _ path: String,
            _ change: (inout KingfisherParsedOptionsInfo) -> Void = { _ in }
        ) async throws {
            await stage.paint()
            let loading = start(path, change: change)
            await stage.run { loading.results.count == 1 }
            _ = try loading.value()
        }

        @discardableResult
        private func start(
            _ path: String,
            placeholder: KFCrossPlatformImage? = nil,
            change: (inout KingfisherParsedOptionsInfo) -> Void = { _ in }
        ) -> Loading {
            let loading = Loading()
            var options = KingfisherParsedOptionsInfo(nil)
            options.waitForCache = true
            change(&options)
            _ = view.controller.loader.load(
                .network(bench.server.url(path)),
                placeholder: placeholder,
                options: options,
                by: bench.manager,
                progress: nil,
                completion: { loading.results.append($0) }
            )
            return loading
        }

        private func offersFile(_ content: GObjectReference) -> Bool {
            let provider = content.address.assumingMemoryBound(to: GdkContentProvider.self)
            let formats = gdk_content_provider_ref_formats(provider)
            defer { gdk_content_formats_unref(formats) }
            return gdk_content_formats_contain_mime_type(formats, "image/jpeg") != 0
        }
    }
}
#endif
