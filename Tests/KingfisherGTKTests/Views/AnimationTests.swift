#if GTK
import CKFGTKHeaders
import Foundation
import Kingfisher
import KFPixels
import Synchronization
import Testing

@testable import KingfisherGTK

extension GTKTests {
    @Suite(.timeLimit(.minutes(1)))
    struct AnimationTests {
        init() throws {
            try #require(gtk_init_check() != 0)
        }

        @Test func `frames are painted in order`() async throws {
            let view = AnimatedPictureView()
            let colors: [RGBA] = [.pureRed, .pureGreen, .pureBlue]
            view.image = .frames(colors, each: 0.3)
            let stage = Stage(view.widget)
            var seen: [RGBA] = []
            await stage.run {
                if let color = stage.capture()?.center,
                    let known = colors.first(where: { color.isNear($0) }), seen.last != known
                {
                    seen.append(known)
                }
                return seen.count >= 5
            }
            let start = try #require(colors.firstIndex(of: seen[0]))
            let expected = (0..<5).map { colors[(start + $0) % 3] }
            #expect(Array(seen.prefix(5)) == expected)
        }

        @Test func `it rests while it is not on screen`() async throws {
            let view = AnimatedPictureView()
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            let stage = Stage(view.widget)
            await stage.run { view.currentFrameIndex == 1 }
            gtk_widget_set_visible(view.widget, 0)
            await stage.run { gtk_widget_get_mapped(view.widget) == 0 }
            let index = view.currentFrameIndex
            await stage.paint(frames: 8)
            #expect(view.currentFrameIndex == index)
            gtk_widget_set_visible(view.widget, 1)
            await stage.run { view.currentFrameIndex != index }
        }

        @Test func `frames are decoded while it is on screen, and let go of otherwise`()
            async throws
        {
            let view = AnimatedPictureView()
            view.image = .frames([.pureRed, .pureGreen, .pureBlue], each: 10)
            let player = try #require(view.controller.content.animation.player)
            #expect(player.decodedCount == 0)
            let stage = Stage(view.widget)
            await stage.run { player.decodedCount == 3 }
            gtk_widget_set_visible(view.widget, 0)
            await stage.run { gtk_widget_get_mapped(view.widget) == 0 }
            #expect(player.decodedCount == 1)
            gtk_widget_set_visible(view.widget, 1)
            await stage.run { player.decodedCount == 3 }
        }

        @Test func `a paused animation gets sharp when its view grows`() async throws {
            let view = AnimatedPictureView()
            view.autoPlayAnimatedImage = false
            view.setSizeRequest(width: 20, height: 20)
            let stage = Stage(view.widget)
            await stage.paint()
            let frames = SizedFrames()
            view.image = KingfisherWrapper<KFCrossPlatformImage>
                .animatedImage(source: frames, options: ImageCreatingOptions())
            await stage.run { view.controller.content.animation.player?.currentFrame != nil }
            view.setSizeRequest(width: 200, height: 200)
            let wanted = stage.pixels(200)
            await stage.run { view.controller.content.animation.shownFrame?.pixelWidth == wanted }
            #expect(!view.isAnimating)
        }

        @Test func `a paused animation of loaded frames needs no frames after its view has grown`()
            async throws
        {
            let view = AnimatedPictureView()
            view.setSizeRequest(width: 50, height: 50)
            let stage = Stage(view.widget, width: 60, height: 60)
            stage.setAnimations(enabled: true)
            await stage.paint()
            view.image = .frames([.pureRed, .pureGreen], each: 0.02, side: 400)
            await stage.run { view.currentFrameIndex == 1 }
            view.stopAnimating()
            let animation = view.controller.content.animation
            let player = animation.player
            view.setSizeRequest(width: 300, height: 300)
            await stage.run { animation.player !== player }
            await stage.paint(frames: 8)
            let frames = view.controller.sight.frames
            await stage.paint(frames: 8)
            #expect(view.controller.sight.frames == frames)
        }

        @Test func `purging keeps the current frame, or none`() async throws {
            let view = AnimatedPictureView()
            view.autoPlayAnimatedImage = false
            view.image = .frames([.pureRed, .pureGreen, .pureBlue], each: 10)
            let player = try #require(view.controller.content.animation.player)
            let stage = Stage(view.widget)
            await stage.run { player.decodedCount == 3 }
            view.purgeFrames()
            #expect(player.decodedCount == 1)
            #expect(player.currentFrame != nil)
            view.purgeFrames(keepCurrentFrame: false)
            #expect(player.decodedCount == 0)
        }

        @Test func `it stops after its rounds and says so`() async throws {
            let view = AnimatedPictureView()
            let log = Log()
            view.delegate = log
            view.repeatCount = .finite(count: 2)
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            let stage = Stage(view.widget)
            await stage.run { log.isFinished }
            #expect(log.loops == [1, 2])
            #expect(!view.isAnimating)
            #expect(view.currentFrameIndex == 1)
        }

        @Test func `it does not start by itself where animations are turned off`() async throws {
            let view = AnimatedPictureView()
            let stage = Stage(view.widget)
            stage.setAnimations(enabled: false)
            defer { stage.setAnimations(enabled: true) }
            await stage.paint()
            view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            #expect(!view.isAnimating)
            view.startAnimating()
            #expect(view.isAnimating)
            var isOver = false
            var options = KingfisherParsedOptionsInfo(nil)
            options.transition = .fade(10)
            view.controller.content.transition(to: .solid(.pureBlue), options: options) {
                isOver = true
            }
            #expect(isOver)
        }

        @Test func `a button pauses and resumes an animation, and hides from stills`() async throws
        {
            let image = KFImage(nil as URL?).resizable().playButton(play: "Los", pause: "Halt")
            let button = try #require(image.state.playButton)
            let stage = Stage(image.widget)
            await stage.paint()
            image.view.image = .frames([.pureRed, .pureGreen], each: 0.02)
            await stage.run { image.view.controller.content.animation.isPlaying }
            #expect(gtk_widget_get_visible(button) != 0)
            #expect(name(of: button) == "Halt")
            gtk_widget_activate(button)
            await stage.run { !image.view.controller.content.animation.isPlaying }
            #expect(name(of: button) == "Los")
            #expect(image.view.controller.content.animation.isPaused)
            gtk_widget_activate(button)
            await stage.run { image.view.controller.content.animation.isPlaying }
            #expect(name(of: button) == "Halt")
            // The user's setting stops it, too, and the button follows.
            defer { stage.setAnimations(enabled: true) }
            stage.setAnimations(enabled: false)
            #expect(name(of: button) == "Los")
            image.view.image = .solid(.pureBlue)
            #expect(gtk_widget_get_visible(button) == 0)
        }

        @Test func `many animations are decoded by as many threads as there are cores`()
            async throws
        {
            let frames = CountedFrames()
            let players = (0..<60).map { _ in FramePlayer(source: frames) }
            for player in players { player.prepare() }
            await Stage.run { players.allSatisfy { $0.currentFrame != nil } }
            #expect(frames.peak <= ProcessInfo.processInfo.activeProcessorCount)
        }

        /// The name of a button for tooltips, which assistive technology gets as well.
        private func name(of button: UnsafeMutablePointer<GtkWidget>) -> String? {
            let accessible = OpaquePointer(button)
            guard gtk_test_accessible_has_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL) != 0
            else { return nil }
            return gtk_widget_get_tooltip_text(button).map { String(cString: $0) }
        }

        /// Frames that take a millisecond each, and how many were made at once.
        nonisolated private struct CountedFrames: ImageFrameSource {
            private final class Count: Sendable {
                let state = Mutex((running: 0, peak: 0))
            }

            private let count = Count()
            var peak: Int { count.state.withLock { $0.peak } }
            var data: Data? { nil }
            var frameCount: Int { 3 }

            func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
                count.state.withLock {
                    $0.running += 1
                    $0.peak = max($0.peak, $0.running)
                }
                let end = ContinuousClock.now + .milliseconds(1)
                while ContinuousClock.now < end {}
                count.state.withLock { $0.running -= 1 }
                LoopEvents.wake()
                let pixel = Data([255, 0, 0, 255])
                return KFCrossPlatformImage(premultipliedRGBA: pixel, width: 1, height: 1)
            }

            func duration(at index: Int) -> TimeInterval { 1 }
        }

        /// Two frames of any size that is asked for.
        nonisolated private struct SizedFrames: ImageFrameSource {
            var data: Data? { nil }
            var frameCount: Int { 2 }

            func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
                let side = Int(maxSize?.width ?? 1_000)
                let pixels = Data(count: side * side * 4)
                return KFCrossPlatformImage(premultipliedRGBA: pixels, width: side, height: side)
            }

            func duration(at index: Int) -> TimeInterval { 10 }
        }

        private final class Log: PictureAnimationDelegate {
            var loops: [UInt] = []
            var isFinished = false

            func pictureView(_ view: AnimatedPictureView, didPlayAnimationLoops count: UInt) {
                loops.append(count)
            }

            func pictureViewDidFinishAnimating(_ view: AnimatedPictureView) { isFinished = true }
        }
    }
}
#endif
