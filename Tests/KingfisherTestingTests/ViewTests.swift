import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ViewTests {
    let bench: ImageTestBench
    let url: URL

    init() throws {
        bench = try ImageTestBench()
        url = try #require(URL(string: "https://example.test/a.png"))
    }

    private var options: KingfisherOptionsInfo {
        [.downloader(bench.downloader), .targetCache(bench.cache)]
    }

    @Test func `a test waits for the image of a view`() async {
        bench.transport.answer(url, with: .picture(.solid(.red, width: 20, height: 10)))
        let view = KFCrossPlatformImageView(frame: .zero)
        view.kf.setImage(with: url, options: options)
        #expect(view.image == nil)
        await view.kf.waitUntilLoaded()
        #expect(view.image?.pixelWidth == 20)
        await view.kf.waitUntilLoaded()
    }

    @Test func `the wait outlasts a superseding load, and a failure`() async throws {
        let view = KFCrossPlatformImageView(frame: .zero)
        let second = try #require(URL(string: "https://example.test/b.png"))
        view.kf.setImage(with: url, options: options)
        await bench.transport.started(1)
        view.kf.setImage(with: second, options: options)
        await bench.transport.started(2)
        async let wait: Void = view.kf.waitUntilLoaded()
        try bench.transport.transfer(0).complete(ScriptedPicture.solid(.red).data())
        try bench.transport.transfer(1).complete(Data(), status: 404)
        await wait
        #expect(view.image == nil && view.kf.taskIdentifier == nil)
    }

    @Test func `a target of the test's own is waited for, too`() async {
        final class Card: KingfisherHasImageComponent {
            @MainActor var image: KFCrossPlatformImage?
        }
        bench.transport.answer(url, with: .picture(.solid(.blue)))
        let card = Card()
        await card.kf.waitUntilLoaded()
        card.kf.setImage(with: url, options: options)
        await card.kf.waitUntilLoaded()
        #expect(card.image != nil)
    }

    @Test func `a ticker plays an animation by hand`() throws {
        let ticker = ManualTicker()
        let view = AnimatedImageView(
            frame: CGRect(x: 0, y: 0, width: 8, height: 8),
            ticker: ticker
        )
        let pictures = [KFCrossPlatformColor.red, .green, .blue].map {
            ScriptedPicture.solid($0, width: 16, height: 8)
        }
        view.image = ScriptedAnimation(pictures, secondsEach: 0.1).image
        #expect(!ticker.isRunning, "it is in no window")
        KFCrossPlatformWindow().addSubview(view)
        view.startAnimating()
        #expect(ticker.isRunning)
        let animator = try #require(view.animator)
        ticker.tick(0.11)
        #expect(animator.currentFrameIndex == 1)
        ticker.tick(0.1)
        #expect(animator.isLastFrame)
        view.stopAnimating()
        ticker.tick(0.1)
        #expect(animator.isLastFrame && !ticker.isRunning)
    }

    @Test func `frames fit in the size that is asked for`() throws {
        let animation = ScriptedAnimation([.solid(.red, width: 16, height: 8)], secondsEach: 1)
        let small = try #require(animation.frame(at: 0, maxSize: CGSize(width: 8, height: 8)))
        #expect(small.size == CGSize(width: 8, height: 4))
        #expect(animation.frame(at: 0)?.size == CGSize(width: 16, height: 8))
        #expect(animation.frame(at: 1) == nil)
    }
}
