#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KingfisherGTK
import TestSupport
import Testing

/// Widgets of a binding, with the pointer types of that binding.
private class ForeignPicture {
    let widgetPointer: UnsafeMutablePointer<GtkWidget>?
    var opaquePointer: OpaquePointer? { widgetPointer.map { OpaquePointer($0) } }

    init() { widgetPointer = gtk_picture_new() }
}

private final class ForeignButton {
    let widgetPointer: UnsafeMutablePointer<GtkWidget>? = gtk_button_new()
}

private final class OldPicture: KingfisherCompatible {
    let pointer = OpaquePointer(gtk_picture_new())
}

extension ForeignPicture: GtkPictureProviding {
    fileprivate var gtkPicture: OpaquePointer? { opaquePointer }
}

extension ForeignButton: @MainActor GtkButtonProviding {
    fileprivate var gtkButton: UnsafeMutablePointer<GtkWidget>? { widgetPointer }
}

extension OldPicture: GtkPictureProviding {
    fileprivate var gtkPicture: OpaquePointer? { pointer }
}

extension GTKTests {
    /// A single conformance makes a binding's widget a target for images.
    @Suite(.timeLimit(.minutes(1)))
    struct ForeignWidgetTests {
        private let bench: TestBench
        private let url: URL

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
            url = bench.serveJPEG("/a.jpg", width: 40, height: 30)
        }

        // With a processor, a load does not wait until the widget has a size.
        private let size = CGSize(width: 20, height: 15)

        private var options: KingfisherOptionsInfo {
            [
                .downloader(bench.downloader), .targetCache(bench.cache),
                .processor(ResizingImageProcessor(referenceSize: size)),
            ]
        }

        @Test func `an optional pointer, and both namespaces at once, are no hindrance`() async {
            let picture = ForeignPicture()
            let old = OldPicture()
            var count = 0
            let note = {
                count += 1
                LoopEvents.wake()
            }
            picture.kf.setImage(with: url, options: options) { _ in note() }
            old.kf.setImage(with: url, options: options) { _ in note() }
            await Stage.run { count == 2 }
            #expect(picture.kf.image != nil)
            #expect(old.kf.image != nil)
        }

        @Test func `a builder sets an image`() async {
            let picture = ForeignPicture()
            var types: [CacheType] = []
            KF.url(url)
                .downloader(bench.downloader)
                .targetCache(bench.cache)
                .resizing(referenceSize: size)
                .placeholder(KFCrossPlatformImage())
                .onSuccess {
                    types.append($0.cacheType)
                    LoopEvents.wake()
                }
                .set(to: picture)
            await Stage.run { types.count == 1 }
            #expect(types == [.none])
            #expect(picture.kf.image != nil)
        }

        @Test func `a builder sets a button's image and its alternative`() async {
            let button = ForeignButton()
            var count = 0
            let note = {
                count += 1
                LoopEvents.wake()
            }
            let builder = {
                KF.url(url).downloader(bench.downloader).targetCache(bench.cache)
                    .resizing(referenceSize: size)
                    .onSuccess { _ in note() }
            }
            builder().set(to: button)
            builder().setAlternative(to: button)
            await Stage.run { count == 2 }
            #expect(button.kf.image != nil)
            #expect(button.kf.alternateImage != nil)
        }
    }
}
#endif
