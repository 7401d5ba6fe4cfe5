#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    @Suite(.timeLimit(.minutes(1)))
    struct ImageButtonTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        private var options: KingfisherOptionsInfo {
            [.targetCache(bench.cache), .downloader(bench.downloader)]
        }

        @Test func `a button shows its alternate image while it is pressed`() async throws {
            let button = ImageButton()
            let stage = Stage(button.widget)
            let controller = ButtonController.of(button.gtkButton)
            controller.image.image = .solid(.pureRed)
            controller.alternate.image = .solid(.pureGreen)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
            gtk_widget_set_state_flags(button.widget, GTK_STATE_FLAG_ACTIVE, 0)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
            gtk_widget_unset_state_flags(button.widget, GTK_STATE_FLAG_ACTIVE)
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
        }

        @Test func `a button shows the image of its state, and its own in the others`()
            async throws
        {
            let button = ImageButton()
            let stage = Stage(button.widget)
            button.kf.image = .solid(.pureRed)
            var loaded = 0
            let green = try #require(KFCrossPlatformImage.solid(.pureGreen).kf.pngRepresentation())
            bench.server.route("/green.png", .body(green, type: "image/png"))
            let url = bench.server.url("/green.png")
            button.kf.setImage(with: url, for: .disabled, options: options) { _ in loaded += 1 }
            await stage.run { loaded == 1 }
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureRed))
            let stack = OpaquePointer(try #require(gtk_button_get_child(button.gtkButton)))
            var shown: UnsafeMutablePointer<GtkWidget>? { gtk_stack_get_visible_child(stack) }
            let controller = ButtonController.of(button.gtkButton)
            gtk_widget_set_sensitive(button.widget, 0)
            #expect(shown == controller.view(for: .disabled).widget)
            gtk_widget_set_sensitive(button.widget, 1)
            controller.alternate.image = .solid(.pureBlue)
            gtk_widget_set_state_flags(button.widget, GTK_STATE_FLAG_ACTIVE, 0)
            #expect(shown == controller.alternate.widget)
            controller.view(for: .pressed).image = .solid(.pureGreen)
            #expect(shown == controller.view(for: .pressed).widget)
            gtk_widget_unset_state_flags(button.widget, GTK_STATE_FLAG_ACTIVE)
            #expect(shown == controller.image.widget)
        }

        @Test func `VW-18: the images of a button are loaded independently`() async throws {
            let button = ImageButton()
            let stage = Stage(button.widget)
            var loaded = 0
            button.kf.setImage(with: bench.serveJPEG("/a.jpg"), options: options) { _ in
                loaded += 1
            }
            button.kf.setAlternateImage(with: bench.serveJPEG("/b.jpg"), options: options) { _ in
                loaded += 1
            }
            await stage.run { loaded == 2 }
            #expect(button.kf.image != nil)
            #expect(button.kf.alternateImage != nil)
        }

        @Test func `a button whose child was replaced may change its state`() async throws {
            let button = ImageButton()
            let stage = Stage(button.widget)
            button.kf.image = .solid(.pureRed)
            await stage.paint()
            gtk_button_set_label(button.gtkButton, "Text")
            await stage.paint()
            gtk_widget_set_state_flags(button.widget, GTK_STATE_FLAG_ACTIVE, 0)
            await stage.paint()
            #expect(button.kf.image != nil)
        }

        @Test func `a button takes its alternate image from every kind of source`() async throws {
            let button = ImageButton()
            let stage = Stage(button.widget)
            let data = TestImage.jpeg()
            let provider = RawImageDataProvider(data: data, cacheKey: "raw")
            let url = bench.serveJPEG("/a.jpg")
            var loaded = 0
            let completion: ImageCompletion = { if case .success = $0 { loaded += 1 } }
            let options = options
            button.kf.setAlternateImage(
                with: provider,
                options: options,
                completionHandler: completion
            )
            await stage.run { loaded == 1 }
            button.kf.setAlternateImage(
                with: provider,
                options: options,
                progressBlock: nil,
                completionHandler: completion
            )
            await stage.run { loaded == 2 }
            button.kf.setAlternateImage(
                with: url,
                options: options,
                progressBlock: nil,
                completionHandler: completion
            )
            await stage.run { loaded == 3 }
            button.kf.setAlternateImage(
                with: Source.network(url),
                options: options,
                completionHandler: completion
            )
            await stage.run { loaded == 4 }
            #expect(button.kf.alternateImage != nil)
            #expect(button.kf.image == nil)
        }
    }
}
#endif
