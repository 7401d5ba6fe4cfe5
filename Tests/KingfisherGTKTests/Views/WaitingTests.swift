#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// Loads that wait for their view to be seen.
    @Suite(.timeLimit(.minutes(1)))
    struct WaitingTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        @Test(arguments: Leaving.allCases)
        func `a waiting load whose view goes ends once, and the view ends`(
            leaving: Leaving
        ) async throws {
            let loading = Loading()
            weak var controller: PictureController?
            let (stack, box, stage) = try makeStack()
            do {
                let view = ImageView()
                controller = view.controller
                gtk_box_append(box.asBox, view.widget)
                wait(for: view, loading)
                await stage.paint()
                switch leaving {
                case .window: break
                case .container: gtk_stack_remove(OpaquePointer(stack), box)
                case .itself: gtk_box_remove(box.asBox, view.widget)
                }
            }
            if leaving == .window { stage.close() }
            await Stage.run { controller == nil }
            #expect(try loading.error().isCancellation)
            #expect(bench.server.requests.isEmpty)
        }

        @Test func `a view that was never in a window ends with its container`() async throws {
            let loading = Loading()
            weak var controller: PictureController?
            do {
                let box = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
                let owner = GObjectReference(retaining: UnsafeMutableRawPointer(box))
                let view = ImageView()
                controller = view.controller
                gtk_box_append(box.asBox, view.widget)
                wait(for: view, loading)
                withExtendedLifetime(owner) {}
            }
            await Stage.run { controller == nil }
            #expect(try loading.error().isCancellation)
        }

        @Test(arguments: [false, true])
        func `a waiting load ends once if its view is never put anywhere`(
            isAnimated: Bool
        ) async throws {
            let usual = ViewLoader.rest
            defer { ViewLoader.rest = usual }
            ViewLoader.rest = { _ in LoopEvents.wake() }
            let loading = Loading()
            weak var controller: PictureController?
            do {
                let view = isAnimated ? AnimatedPictureView() : ImageView()
                controller = view.controller
                wait(for: view, loading)
            }
            await Stage.run { controller == nil }
            #expect(try loading.error().isCancellation)
            #expect(bench.server.requests.isEmpty)
        }

        @Test func `a view that is put somewhere later shows its image after all`() async throws {
            let usual = ViewLoader.rest
            defer { ViewLoader.rest = usual }
            ViewLoader.rest = { _ in LoopEvents.wake() }
            bench.serveJPEG("/a.jpg")
            let loading = Loading()
            let view = ImageView()
            wait(for: view, loading)
            await Stage.run { loading.results.count == 1 }
            let stage = Stage(view.widget)
            await stage.run { view.image != nil }
            #expect(loading.results.count == 1)
        }

        @Test func `a view that only moves keeps its waiting load`() async throws {
            bench.serveJPEG("/a.jpg")
            let loading = Loading()
            let (stack, box, stage) = try makeStack()
            let view = ImageView()
            gtk_box_append(box.asBox, view.widget)
            wait(for: view, loading)
            await stage.paint()
            gtk_box_remove(box.asBox, view.widget)
            gtk_box_append(box.asBox, view.widget)
            await stage.paint()
            #expect(loading.results.isEmpty)
            gtk_stack_set_visible_child(OpaquePointer(stack), box)
            await stage.run { loading.results.count == 1 }
            _ = try loading.value()
        }

        @Test func `a view that returns shows its image after all`() async throws {
            bench.serveJPEG("/a.jpg")
            let loading = Loading()
            let (stack, box, stage) = try makeStack()
            let view = ImageView()
            gtk_box_append(box.asBox, view.widget)
            wait(for: view, loading)
            gtk_box_remove(box.asBox, view.widget)
            await stage.run { loading.results.count == 1 }
            gtk_box_append(box.asBox, view.widget)
            gtk_stack_set_visible_child(OpaquePointer(stack), box)
            await stage.run { view.image != nil }
            #expect(loading.results.count == 1)
        }

        @Test func `a waiting load starts when it need no longer be seen`() async throws {
            bench.serveJPEG("/a.jpg")
            let loading = Loading()
            let view = ImageView()
            wait(for: view, loading)
            view.kf.loadStart = .immediately
            await Stage.run { loading.results.count == 1 }
            #expect(view.image != nil)
        }

        @Test func `a load waits if its view shall be seen first, also if that is set later`()
            async throws
        {
            let usual = ViewLoader.rest
            defer { ViewLoader.rest = usual }
            var hasRested = false
            ViewLoader.rest = { _ in
                hasRested = true
                LoopEvents.wake()
            }
            let view = ImageView()
            let loading = Loading()
            let url = bench.serveJPEG("/a.jpg")
            view.controller.loader.load(url, by: bench.manager, into: loading)
            view.kf.loadStart = .whenVisible
            await Stage.run { hasRested }
            // The load would start in the next job of the main actor.
            for _ in 0..<5 { await Task.yield() }
            #expect(view.controller.loader.pending != nil)
        }

        @Test func `code that waits for a load goes on when it is shown, waited for or not`()
            async throws
        {
            bench.serveJPEG("/a.jpg")
            let loading = Loading()
            let view = ImageView()
            wait(for: view, loading)
            var seen: Int?
            Task {
                await view.kf.waitUntilLoaded()
                seen = loading.results.count
                LoopEvents.wake()
            }
            await Task.yield()
            #expect(seen == nil)
            let stage = Stage(view.widget)
            await stage.run { seen != nil }
            #expect(seen == 1)
            await view.kf.waitUntilLoaded()
            #expect(view.image != nil)
        }

        @Test func `code that waits for a load goes on when its widget is gone`() async throws {
            let loading = Loading()
            var view: ImageView? = ImageView()
            let loader = try #require(view).controller.loader
            view?.kf.loadStart = .whenVisible
            loader.load(bench.server.url("/a.jpg"), by: bench.manager, into: loading)
            var isDone = false
            Task {
                await loader.waitUntilIdle()
                isDone = true
                LoopEvents.wake()
            }
            await Task.yield()
            #expect(!isDone)
            view = nil
            await Stage.run { isDone }
            #expect(try loading.error().isCancellation)
        }

        /// A window with a stack, whose second page is not shown.
        private func makeStack() throws -> (
            stack: UnsafeMutablePointer<GtkWidget>, page: UnsafeMutablePointer<GtkWidget>, Stage
        ) {
            let stack = try #require(gtk_stack_new())
            let page = try #require(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
            gtk_stack_add_child(OpaquePointer(stack), gtk_label_new(nil))
            gtk_stack_add_child(OpaquePointer(stack), page)
            return (stack, page, Stage(stack))
        }

        /// Starts a load that waits, with a completion that uses the view.
        private func wait(for view: ImageView, _ loading: Loading) {
            view.setSizeRequest(width: 40, height: 40)
            view.kf.loadStart = .whenVisible
            _ = view.controller.loader.load(
                .network(bench.server.url("/a.jpg")),
                placeholder: nil,
                options: KingfisherParsedOptionsInfo(nil),
                by: bench.manager,
                progress: nil,
                completion: { result in
                    withExtendedLifetime(view) { loading.results.append(result) }
                }
            )
        }
    }
}

/// How a view leaves its window.
enum Leaving: CaseIterable { case window, container, itself }
#endif
