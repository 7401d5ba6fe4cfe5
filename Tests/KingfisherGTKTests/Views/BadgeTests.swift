#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The play sign over frames of videos.
    @Suite(.timeLimit(.minutes(1)))
    struct BadgeTests {
        private let bench: TestBench
        private let view: ImageView

        init() throws {
            try #require(gtk_init_check() != 0)
            bench = try TestBench()
            view = ImageView()
            view.setSizeRequest(width: 200, height: 160)
            view.fit = .fill
        }

        @Test func `a play sign is drawn over an image, and points right in every direction`()
            async throws
        {
            view.image = .solid(.pureBlue)
            let stage = Stage(view.widget)
            await stage.paint()
            #expect(try #require(stage.capture()).count(differingFrom: .pureBlue) == 0)
            view.kf.badge = .video()
            for direction in [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL] {
                gtk_widget_set_direction(view.widget, direction)
                await stage.paint()
                let capture = try #require(stage.capture())
                #expect(capture.center.isNear(RGBA(red: 255, green: 255, blue: 255)))
                let (x, y) = (capture.width / 2, capture.height / 2)
                // The disc is there, and the triangle is not, left and above of its tip.
                #expect(capture[x - 20, y].isNear(RGBA(red: 0, green: 0, blue: 102)))
                #expect(capture[x + 10, y - 10].isNear(RGBA(red: 0, green: 0, blue: 102)))
                #expect(capture[x + 11, y].isNear(RGBA(red: 255, green: 255, blue: 255)))
                #expect(capture[x - 32, y].isNear(.pureBlue))
                #expect(capture[x, y + 32].isNear(.pureBlue))
            }
            view.kf.badge = nil
            await stage.paint()
            #expect(try #require(stage.capture()).count(differingFrom: .pureBlue) == 0)
        }

        @Test func `the duration is in the corner where a line ends`() async throws {
            view.image = .solid(.pureBlue)
            view.kf.badge = .video(duration: 3_723)
            let stage = Stage(view.widget)
            for direction in [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL] {
                gtk_widget_set_direction(view.widget, direction)
                await stage.paint()
                let capture = try #require(stage.capture())
                let (left, right) = (marks(capture, 6..<60), marks(capture, 140..<194))
                #expect((direction == GTK_TEXT_DIR_LTR ? left : right) == 0)
                #expect((direction == GTK_TEXT_DIR_LTR ? right : left) > 200)
                #expect(marks(capture, 0..<6) + marks(capture, 195..<200) == 0)
            }
        }

        @Test func `a badge is over the visible part of a fitted image, if it has room`()
            async throws
        {
            view.fit = .contain
            view.image = .solid(.pureRed, width: 20, height: 160)
            view.kf.badge = .video(duration: 7)
            let stage = Stage(view.widget)
            await stage.paint()
            let narrow = try #require(stage.capture())
            #expect(narrow.center.isNear(.pureRed))
            view.image = .solid(.pureRed, width: 80, height: 160)
            await stage.paint()
            let wide = try #require(stage.capture())
            #expect(wide.center.isNear(RGBA(red: 255, green: 255, blue: 255)))
            #expect(marks(wide, 140..<200, besides: wide[195, 150]) == 0)
            #expect(marks(wide, 62..<138, besides: .pureRed) > 100)
        }

        @Test func `neither placeholders nor failures nor loads have a badge`() async throws {
            let url = bench.server.url("/a")
            bench.server.route("/a", .status(404))
            view.kf.badge = .video()
            let stage = Stage(view.widget)
            let options: KingfisherOptionsInfo = [
                .targetCache(bench.cache), .downloader(bench.downloader),
                .onFailureImage(.solid(.pureGreen)),
            ]
            var results: [Bool] = []
            view.kf.setImage(with: url, placeholder: .solid(.pureRed), options: options) {
                results.append((try? $0.get()) != nil)
                LoopEvents.wake()
            }
            #expect(!view.controller.canvas.hasBadge)
            await stage.run { results.count == 1 }
            await stage.paint()
            #expect(try #require(stage.capture()).center.isNear(.pureGreen))
            #expect(!view.controller.canvas.hasBadge)
            let image = bench.serveJPEG("/b.jpg")
            view.kf.setImage(with: image, options: options) {
                results.append((try? $0.get()) != nil)
                LoopEvents.wake()
            }
            await stage.run { results.count == 2 }
            #expect(results == [false, true])
            #expect(view.controller.canvas.hasBadge)
            view.image = nil
            #expect(!view.controller.canvas.hasBadge)
        }

        @Test func `a placeholder without a load has no badge`() async throws {
            view.kf.badge = .video()
            let placeholder = KFCrossPlatformImage.solid(.pureRed)
            view.kf.setImage(with: nil as Source?, placeholder: placeholder)
            #expect(!view.controller.canvas.hasBadge)
            var ends = 0
            view.kf.setImage(
                with: bench.serveJPEG("/a.jpg"),
                placeholder: placeholder,
                options: [.targetCache(bench.cache), .downloader(bench.downloader)]
            ) { _ in
                ends += 1
                LoopEvents.wake()
            }
            view.kf.cancelDownloadTask()
            await Stage.run { ends == 1 }
            #expect(view.image === placeholder)
            #expect(!view.controller.canvas.hasBadge)
            view.image = placeholder
            #expect(view.controller.canvas.hasBadge)
        }

        @Test func `assistive technology reads a badge after the text of the image`() {
            let status = view.controller.status
            #expect(status.name == nil)
            view.kf.badge = .video()
            #expect(status.name == "video")
            view.alternativeText = "the barn"
            view.kf.badge = .video(duration: 83.4, label: "film")
            #expect(status.name == "the barn, film, 1:23")
            #expect(view.alternativeText == "the barn")
        }

        @Test(arguments: [
            (0.0, "0:00"), (6.6, "0:07"), (59.7, "1:00"), (3_599, "59:59"), (3_600, "1:00:00"),
            (36_610, "10:10:10"), (-1, nil), (.nan, nil), (.infinity, nil), (1e300, nil),
        ])
        func `durations have minutes, and hours if they are long`(
            duration: Double,
            text: String?
        ) {
            #expect(PictureBadge.video(duration: duration).durationText == text)
        }

        /// The points with another colour in columns of the lowest fifth.
        private func marks(
            _ capture: Capture,
            _ columns: Range<Int>,
            besides color: RGBA = .pureBlue
        ) -> Int {
            (capture.height * 4 / 5..<capture.height).reduce(0) { sum, y in
                sum + columns.count { !capture[$0, y].isNear(color) }
            }
        }
    }
}
#endif
