#if GTK
import CGTK
import Foundation
import Kingfisher
import Pixels
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
            view.image = animation(colors, each: 0.05)
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
            view.image = animation([.pureRed, .pureGreen], each: 0.02)
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

        @Test func `it stops after its rounds and says so`() async throws {
            let view = AnimatedPictureView()
            let log = Log()
            view.delegate = log
            view.repeatCount = .finite(count: 2)
            view.image = animation([.pureRed, .pureGreen], each: 0.02)
            let stage = Stage(view.widget)
            await stage.run { log.isFinished }
            #expect(log.loops == [1, 2])
            #expect(!view.isAnimating)
            #expect(view.currentFrameIndex == 1)
        }

        @Test func `it does not start by itself where animations are turned off`() async throws {
            let view = AnimatedPictureView()
            let stage = Stage(view.widget)
            setAnimations(enabled: false, for: view)
            defer { setAnimations(enabled: true, for: view) }
            await stage.paint()
            view.image = animation([.pureRed, .pureGreen], each: 0.02)
            #expect(!view.isAnimating)
            view.startAnimating()
            #expect(view.isAnimating)
            var isOver = false
            var options = KingfisherParsedOptionsInfo(nil)
            options.transition = .fade(10)
            view.controller.transition(to: .solid(.pureBlue), options: options) { isOver = true }
            #expect(isOver)
        }

        private func setAnimations(enabled: Bool, for view: ImageView) {
            var value = GValue()
            g_value_init(&value, GType(5 << 2))
            g_value_set_boolean(&value, enabled ? 1 : 0)
            let settings = gtk_widget_get_settings(view.widget)
            g_object_set_property(
                UnsafeMutableRawPointer(settings)?.assumingMemoryBound(to: GObject.self),
                "gtk-enable-animations",
                &value
            )
        }

        private func animation(_ colors: [RGBA], each: Double) -> KFCrossPlatformImage {
            let frames = colors.map { KFCrossPlatformImage.solid($0) }
            return KFCrossPlatformImage(
                bitmap: frames.first?.bitmap,
                images: frames,
                duration: each * Double(frames.count)
            )
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
