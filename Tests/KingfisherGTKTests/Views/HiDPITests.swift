#if GTK
import CGTK
import Foundation
import Kingfisher
import Pixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// A screen of two pixels per point.
    ///
    /// GTK reads the setting at its start, so these run in separate processes.
    @Suite(.timeLimit(.minutes(2)))
    struct HiDPITests {
        @Test func `on a screen of two pixels a point twice as many are decoded`() async {
            await #expect(processExitsWith: .success) {
                setenv("GDK_SCALE", "2", 1)
                try await HiDPI.decodesForTheScreen()
            }
        }
    }
}

/// The code that runs in the other process.
private enum HiDPI {
    static func decodesForTheScreen() async throws {
        try #require(gtk_init_check() != 0)
        let bench = try TestBench()
        let view = ImageView()
        view.setSizeRequest(width: 100, height: 75)
        let stage = Stage(view.widget)
        #expect(gtk_widget_get_scale_factor(view.widget) == 2)
        // Cached as on a screen of one pixel per point.
        let url = bench.serveJPEG("/a.jpg", width: 640, height: 480)
        let processor = ViewSizeProcessor(size: CGSize(width: 100, height: 75), covers: false)
        _ = try await bench.manager.retrieveImage(with: url, options: [.processor(processor)])
        let loading = Loading()
        _ = view.controller.load(
            .network(url),
            placeholder: nil,
            options: KingfisherParsedOptionsInfo(nil),
            by: bench.manager,
            progress: nil,
            completion: { loading.results.append($0) }
        )
        await stage.run { loading.results.count == 1 }
        let image = try #require(view.image)
        #expect(image.pixelWidth == 200)
        #expect(image.size == CGSize(width: 100, height: 75))
        await stage.paint()
        // No sharper version is loaded any more.
        #expect(view.image === image)
    }
}
#endif
