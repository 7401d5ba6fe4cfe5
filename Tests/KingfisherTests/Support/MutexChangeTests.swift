import Foundation
import KingfisherTesting
import Synchronization
import Testing

@testable import Kingfisher

/// The objects of users are released outside the locks that guard them.
struct MutexChangeTests {
    @Test func `a replaced value may ask for the lock as it ends`() {
        let downloader = ImageDownloader(name: "test")
        do {
            let owner = EndingObject {
                #expect(downloader.isNetworkConstrained?() == true)
            }
            downloader.isNetworkConstrained = { withExtendedLifetime(owner) { false } }
        }
        downloader.isNetworkConstrained = { true }
        #expect(downloader.isNetworkConstrained?() == true)
    }

    @Test func `what waits for a cancel may ask for it as it ends`() {
        let latch = CancellationLatch()
        do {
            let end = EndingObject { #expect(!latch.isCancelled) }
            latch.onCancel { withExtendedLifetime(end) {} }
        }
        latch.finish()
    }

    @Test func `a change is seen by the next lock`() {
        let value = Mutex([1])
        value.change { $0.append(2) }
        #expect(value.withLock { $0 } == [1, 2])
    }

    private func context() throws -> RetryContext {
        let url = try #require(URL(string: "https://host.test/a.jpg"))
        return RetryContext(
            source: .network(url),
            error: .requestError(reason: .emptyRequest)
        )
    }

    @Test func `what a retry strategy keeps may read the context as it ends`() throws {
        let context = try context()
        context.advance(userInfo: EndingObject { #expect(context.retriedCount == 2) })
        context.advance(userInfo: nil)
        context.keep(userInfo: EndingObject { #expect(context.userInfo == nil) })
        context.keep(userInfo: nil)
    }

    @Test func `a strategy may set the highest number of retries`() throws {
        let context = try context()
        context.retriedCount = .max
        context.advance(userInfo: nil)
        #expect(context.retriedCount == .max)
        let interval = DelayRetryStrategy.Interval.accumulated(0)
        #expect(interval.timeInterval(for: context.retriedCount) == 0)
    }

    @Test func `an observer may hold another observation`() {
        let journal = LoadObservers()
        var observation: LoadObservation?
        do {
            let other = journal.add { _ in }
            observation = journal.add { _ in withExtendedLifetime(other) {} }
        }
        #expect(journal.isActive)
        observation?.cancel()
        #expect(!journal.isActive)
        observation = nil
    }

    /// Frames with an object of the user's.
    private struct Frames: ImageFrameSource {
        let object: EndingObject
        let data: Data? = nil
        let frameCount = 2
        func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
            ScriptedPicture.solid(.red).image
        }
        func duration(at index: Int) -> TimeInterval { 1 }
    }

    @Test func `a frame source may read its image as it ends`() throws {
        let image = ScriptedPicture.solid(.red).image
        do {
            let source = Frames(object: EndingObject { #expect(image.kf.frameSource == nil) })
            let animated = KingfisherWrapper.animatedImage(
                source: source,
                options: ImageCreatingOptions()
            )
            try #require(animated).kf.copyKingfisherState(to: image)
        }
        KFCrossPlatformImage().kf.copyKingfisherState(to: image)
        #expect(image.kf.frameSource == nil)
    }

    @Test func `a custom transition may read its builder as it ends`() {
        let builder = KF.url(nil as URL?)
        do {
            let object = EndingObject { #expect(builder.options.transition.isNone) }
            let transition = ImageTransition.custom(duration: 1) { _ in
                withExtendedLifetime(object) { TransitionFrame() }
            }
            _ = builder.transition(transition)
        }
        _ = builder.transition(.none)
        #expect(builder.options.transition.isNone)
    }
}
