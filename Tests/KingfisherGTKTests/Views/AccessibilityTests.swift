#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The states and names that views report to assistive technology.
    @Suite(.timeLimit(.minutes(1)))
    struct AccessibilityTests {
        private let bench: TestBench

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
        }

        private var options: KingfisherOptionsInfo {
            [.targetCache(bench.cache), .downloader(bench.downloader)]
        }

        @Test func `the alternative text and the role reach assistive technology`()
            async throws
        {
            let view = ImageView()
            let stage = Stage(view.widget)
            let accessible = view.gtkPicture
            #expect(gtk_accessible_get_accessible_role(accessible) == GTK_ACCESSIBLE_ROLE_IMG)
            let description = GTK_ACCESSIBLE_PROPERTY_DESCRIPTION
            #expect(gtk_test_accessible_has_property(accessible, description) == 0)
            view.alternativeText = "a red barn"
            #expect(gtk_test_accessible_has_property(accessible, description) != 0)
            // Loading does not change it.
            var loaded = 0
            view.kf.setImage(with: bench.serveJPEG("/a.jpg"), options: options) { _ in loaded += 1 }
            await stage.run { loaded == 1 }
            #expect(view.alternativeText == "a red barn")
            #expect(gtk_test_accessible_has_property(accessible, description) != 0)
        }

        @Test func `assistive technology is notified of loads and failures`() async throws {
            let gate = ServerGate()
            bench.server.route("/slow", .held(gate, then: .status(404)))
            var failures = 0
            let image = KFImage(bench.server.url("/slow"))
                .targetCache(bench.cache)
                .downloader(bench.downloader)
                .resizable(.fill)
                .onFailure { _ in failures += 1 }
            let stage = Stage(image.widget)
            let picture = image.view.gtkPicture
            await stage.run { bench.server.requests.count == 1 }
            #expect(gtk_test_accessible_has_state(picture, GTK_ACCESSIBLE_STATE_BUSY) != 0)
            #expect(image.view.controller.status.isBusy)
            gate.open()
            await stage.run { failures == 1 }
            #expect(!image.view.controller.status.isBusy)
            #expect(image.view.kf.failure != nil)
            #expect(gtk_test_accessible_has_state(picture, GTK_ACCESSIBLE_STATE_INVALID) != 0)
        }

        @Test func `an image button has a name for assistive technology`() {
            let button = ImageButton()
            let accessible = OpaquePointer(button.gtkButton)
            button.accessibleLabel = "Open the album"
            #expect(
                gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) != 0
            )
            #expect(button.accessibleLabel == "Open the album")
        }
    }
}
#endif
