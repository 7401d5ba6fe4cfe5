import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

@MainActor
private final class Listener: AnimatedImageViewDelegate {
    let events = Locked<[String]>([])

    nonisolated func animatedImageView(
        _ imageView: AnimatedImageView,
        didPlayAnimationLoops count: UInt
    ) {
        events.change { $0.append("loop \(count)") }
    }

    nonisolated func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {
        events.change { $0.append("end") }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct AnimatedImageViewTests {
    private let ticker = ManualTicker()
    private let window = KFCrossPlatformWindow()
    private let view: AnimatedImageView

    init() {
        view = AnimatedImageView(
            frame: CGRect(x: 0, y: 0, width: 40, height: 30),
            ticker: ticker
        )
    }

    private func animation(_ source: ScriptedFrames) -> KFCrossPlatformImage {
        var state = AttachedState()
        state.frameSource = source
        state.frameCount = source.frameCount
        return KFCrossPlatformImage(bitmap: nil, attached: state)
    }

    @Test func `AIV-9: it plays in a window and stops outside`() {
        view.image = animation(ScriptedFrames([1, 1]))
        #expect(!view.isAnimating)
        window.addSubview(view)
        #expect(view.isAnimating)
        view.removeFromSuperview()
        #expect(!view.isAnimating)
        #expect(!ticker.isRunning)
        view.autoPlayAnimatedImage = false
        window.addSubview(view)
        #expect(!view.isAnimating)
        view.startAnimating()
        #expect(view.isAnimating)
    }

    @Test func `AIV-6: a new image starts again, the same one does not`() {
        let image = animation(ScriptedFrames([1, 1, 1]))
        view.image = image
        window.addSubview(view)
        ticker.tick(1)
        let animator = view.animator
        #expect(animator?.currentFrameIndex == 1)
        view.image = image
        #expect(view.animator === animator)
        view.image = animation(ScriptedFrames([1, 1]))
        #expect(view.animator !== animator)
        #expect(view.animator?.currentFrameIndex == 0)
        #expect(view.isAnimating)
        view.image = KFCrossPlatformImage()
        #expect(view.animator == nil)
        #expect(!view.isAnimating)
    }

    @Test func `AIV-4 AIV-5 AIV-6: it ends after its rounds and notifies the delegate`() {
        let listener = Listener()
        view.delegate = listener
        view.image = animation(ScriptedFrames([1, 1]))
        window.addSubview(view)
        ticker.tick(1)
        view.repeatCount = .once
        #expect(view.animator?.currentFrameIndex == 0)
        let animator = view.animator
        view.repeatCount = .finite(count: 1)
        #expect(view.animator === animator)
        ticker.tick(1)
        #expect(listener.events.value == ["loop 1"])
        #expect(view.animator?.isLastFrame == true)
        ticker.tick(1)
        #expect(listener.events.value == ["loop 1", "end"])
        #expect(!view.isAnimating)
        view.startAnimating()
        #expect(!view.isAnimating)
    }

    @Test func `AIV-5: an animation without rounds does not start`() {
        view.repeatCount = .finite(count: 0)
        view.image = animation(ScriptedFrames([1, 1]))
        window.addSubview(view)
        #expect(!view.isAnimating)
        view.startAnimating()
        #expect(!view.isAnimating)
        view.repeatCount = .infinite
        #expect(view.isAnimating)
    }

    @Test func `AIV-5: once is one round`() {
        #expect(AnimatedImageView.RepeatCount.once == .finite(count: 1))
        #expect(AnimatedImageView.RepeatCount.once != .finite(count: 2))
        #expect(AnimatedImageView.RepeatCount.infinite != .once)
    }

    @Test func `AIV-8: frames are decoded to the view's size by default`() async {
        for (prescales, expected) in [(true, CGSize(width: 40, height: 30)), (false, nil)] {
            let source = ScriptedFrames([1, 1])
            view.needsPrescaling = prescales
            view.image = animation(source)
            while source.sizes.value.count < 2 { await Task.yield() }
            #expect(source.sizes.value == [expected, expected])
        }
    }

    @Test func `frames are displayed when they are decoded`() async {
        final class Screen: AnimatedImageView {
            var shown: [KFCrossPlatformImage] = []
            override func displayFrame(_ frame: KFCrossPlatformImage) { shown.append(frame) }
        }
        let screen = Screen(frame: .zero, ticker: ticker)
        let source = ScriptedFrames([1, 1])
        screen.image = animation(source)
        window.addSubview(screen)
        while screen.animator?.frame(at: 1) == nil { await Task.yield() }
        ticker.tick(0)
        ticker.tick(0)
        ticker.tick(1)
        #expect(screen.shown == [source.frames[0], source.frames[1]])
        screen.purgeFrames()
        #expect(screen.animator?.frame(at: 0) == nil)
        #expect(screen.animator?.currentFrameImage === source.frames[1])
        screen.purgeFrames(keepCurrentFrame: false)
        #expect(screen.animator?.currentFrameImage == nil)
    }

    @Test func `animates starts and stops, and a playing view takes no highlight`() {
        view.image = animation(ScriptedFrames([1, 1]))
        view.animates = true
        #expect(view.isAnimating)
        view.isHighlighted = true
        #expect(!view.isHighlighted)
        view.animates = false
        #expect(!view.isAnimating)
        view.isHighlighted = true
        #expect(view.isHighlighted)
        #expect(!view.purgeFramesOnBackground)
    }

    @Test func `a subclass can call the initialiser with an image`() {
        final class Portrait: AnimatedImageView {
            let name: String
            init(_ name: String, _ image: KFCrossPlatformImage) {
                self.name = name
                super.init(image: image)
            }
            required init?(coder: NSCoder) {
                name = "archived"
                super.init(coder: coder)
            }
        }
        let portrait = Portrait("a", animation(ScriptedFrames([1, 1])))
        #expect(portrait.animator != nil)
        let archived = Portrait(coder: NSKeyedArchiver(requiringSecureCoding: true))
        #expect(archived?.image == nil)
        archived?.image = animation(ScriptedFrames([1, 1]))
        #expect(archived?.animator != nil)
        #expect(KFCrossPlatformImageView(image: nil).frame == .zero)
    }

    @Test func `a view without a ticker of its own has a pulse`() async {
        final class Screen: AnimatedImageView {
            let shown = Gate()
            override func displayFrame(_ frame: KFCrossPlatformImage) { shown.open() }
        }
        let screen = Screen()
        screen.image = animation(ScriptedFrames([1, 1]))
        window.addSubview(screen)
        await screen.shown.wait()
        screen.removeFromSuperview()
    }
}
