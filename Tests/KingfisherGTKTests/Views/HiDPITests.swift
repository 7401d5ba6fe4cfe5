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
    /// A screen of two pixels per point.
    ///
    /// GTK reads the setting at its start, so these run in separate processes.
    @Suite(.timeLimit(.minutes(2)))
    struct HiDPITests {
        @Test(.enabled(if: Stage.isScalable, "Wayland has the scale of its screens"))
        func `on a screen of two pixels a point twice as many are decoded`() async {
            await #expect(processExitsWith: .success) {
                setenv("GDK_SCALE", "2", 1)
                unsetenv("KF_TEST_DENSITY")
                try await HiDPI.decodesForTheScreen()
            }
        }

        @Test func `images are decoded for a fractional density, and again when it grows`()
            async throws
        {
            try #require(gtk_init_check() != 0)
            // GTK has fractional densities from 4.12 on, and never on X11.
            let before = ViewSizing.readDensity
            defer { ViewSizing.readDensity = before }
            ViewSizing.readDensity = { _ in 1.25 }
            let bench = try TestBench()
            let view = ImageView()
            view.setSizeRequest(width: 100, height: 80)
            let stage = Stage(view.widget)
            let loading = Loading()
            view.controller.loader.load(
                bench.serveJPEG("/a.jpg", width: 500, height: 400),
                by: bench.manager,
                into: loading
            )
            await stage.run { loading.results.count == 1 }
            let image = try #require(view.image)
            #expect(image.pixelWidth == 125)
            #expect(image.size == CGSize(width: 100, height: 80))
            #expect(view.controller.canvas.density == 1.25)
            // The window moves to another screen. GTK's whole scale factor stays 2.
            ViewSizing.readDensity = { _ in 1.5 }
            gtk_widget_queue_resize(view.widget)
            await stage.run { view.image?.pixelWidth == 150 }
            #expect(view.image?.size == CGSize(width: 100, height: 80))
        }

        @Test func `without fractional densities GTK's whole scale factor counts`() throws {
            try #require(gtk_init_check() != 0)
            let view = ImageView()
            let stage = Stage(view.widget)
            let factor = gtk_widget_get_scale_factor(view.widget)
            #expect(
                kf_widget_get_density(UnsafeMutableRawPointer(view.gtkPicture)) == Double(factor)
            )
            stage.close()
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
        view.controller.loader.load(url, by: bench.manager, into: loading)
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
