#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import TestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// What many animations cost that are in sight at the same time.
    @Suite(.timeLimit(.minutes(1)))
    struct ManyAnimationsTests {
        init() throws {
            try #require(gtk_init_check() != 0)
        }

        @Test func `fifty GIFs in sight all move`() async throws {
            let views = try makeViews(50, width: 96, height: 72)
            let stage = Stage(grid(of: views, columns: 10), width: 980, height: 400)
            await move(views, on: stage)
        }

        @Test func `five hundred animations share threads and an allowance of memory`() async throws
        {
            let before = ProcessCosts.threads
            let views = try makeViews(500, width: 40, height: 30)
            for view in views { view.needsPrescaling = false }
            let stage = Stage(grid(of: views, columns: 25), width: 1_010, height: 610)
            await move(views, on: stage)
            // Some more than the pool has, for the loop and Swift's own.
            let most = before + ProcessInfo.processInfo.activeProcessorCount + 16
            #expect(ProcessCosts.threads <= most)
            let players = views.compactMap { $0.controller.content.animation.player }
            let kept = players.reduce(0) { $0 + $1.decodedCount }
            let bytes = players.compactMap { $0.currentFrame?.bitmap?.byteCount }.max() ?? 0
            #expect(players.count == 500)
            // The current frame and the next one of each, and the allowance for all others.
            #expect(kept * bytes <= 500 * 2 * bytes + (64 << 20))
        }

        /// Waits until each view has shown two frames.
        ///
        /// Many are hardly ever past the first frame at one time.
        private func move(_ views: [AnimatedPictureView], on stage: Stage) async {
            var moved = Set<Int>()
            await stage.run {
                for (index, view) in views.enumerated() where view.currentFrameIndex > 0 {
                    moved.insert(index)
                }
                return moved.count == views.count
            }
        }

        /// Views that each decode a GIF of 20 frames per second themselves.
        private func makeViews(
            _ count: Int,
            width: Int,
            height: Int
        ) throws -> [AnimatedPictureView] {
            let file = try Self.file.get()
            return try (0..<count).map { _ in
                let view = AnimatedPictureView()
                view.setSizeRequest(width: width, height: height)
                let image: KFCrossPlatformImage = try #require(
                    KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
                        data: file,
                        options: ImageCreatingOptions()
                    )
                )
                view.image = image
                return view
            }
        }

        private func grid(
            of views: [AnimatedPictureView],
            columns: Int
        ) -> UnsafeMutablePointer<GtkWidget> {
            guard let widget = gtk_grid_new() else { preconditionFailure("GTK has no memory") }
            let grid = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkGrid.self)
            for (number, view) in views.enumerated() {
                let (x, y) = (Int32(number % columns), Int32(number / columns))
                gtk_grid_attach(grid, view.widget, x, y, 1, 1)
            }
            return widget
        }

        private struct NoFile: Error {}

        /// 12 frames of 96 × 72 pixels, each shown for 50 ms: a gradient that moves.
        private static let file = Result<Data, any Error> {
            let (width, height) = (96, 72)
            let frames = try (0..<12).map { number in
                let bitmap = try Bitmap(
                    size: PixelSize(width: width, height: height),
                    isOpaque: true
                ) { pixels, bytesPerRow in
                    for y in 0..<height {
                        for x in 0..<width {
                            let pixel = pixels + y * bytesPerRow + x * 4
                            pixel[0] = UInt8((x + number * 16) % width)
                            pixel[1] = UInt8(y)
                            pixel[2] = 90
                            pixel[3] = 255
                        }
                    }
                }
                return KFCrossPlatformImage(bitmap: bitmap)
            }
            let shown = KFCrossPlatformImage(
                bitmap: frames.first?.bitmap,
                images: frames,
                duration: 0.6
            )
            let animation = shown.playableFrames.flatMap {
                KingfisherWrapper<KFCrossPlatformImage>.animatedImage(source: $0, options: .init())
            }
            guard let file = animation?.kf.animationRepresentation(format: .GIF) else {
                throw NoFile()
            }
            return file
        }
    }
}
#endif
