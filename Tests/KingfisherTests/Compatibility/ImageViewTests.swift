import Foundation
import TestSupport
import Testing

@testable import Kingfisher

private final class Veil: KFCrossPlatformView, Placeholder {
    var object: EndingObject?
}

private final class FadingView: KFCrossPlatformImageView {
    private(set) var finish: (@MainActor () -> Void)?
    let began = Gate()

    override func setImage(
        _ image: KFCrossPlatformImage,
        transition: ImageTransition,
        completion: @escaping @MainActor () -> Void
    ) {
        finish = {
            self.image = image
            completion()
            completion()
        }
        began.open()
    }
}

private struct Banner: Indicator {
    let view = IndicatorView(frame: CGRect(x: 0, y: 0, width: 10, height: 4))
    let centerOffset = CGPoint(x: 5, y: -5)
    let strategy: IndicatorSizeStrategy
    let calls = Locked<[String]>([])
    var object: EndingObject?

    init(_ strategy: IndicatorSizeStrategy) { self.strategy = strategy }

    func startAnimatingView() { calls.change { $0.append("start") } }
    func stopAnimatingView() { calls.change { $0.append("stop") } }
    func sizeStrategy(in imageView: KFCrossPlatformImageView) -> IndicatorSizeStrategy { strategy }
}

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ImageViewTests {
    let bench: TestBench
    private let view = KFCrossPlatformImageView(
        frame: CGRect(x: 10, y: 10, width: 100, height: 50)
    )

    init() throws {
        bench = try TestBench()
    }

    private func start(
        _ source: Source,
        on view: KFCrossPlatformImageView? = nil,
        placeholder: (any Placeholder)? = nil,
        options: KingfisherOptionsInfo = []
    ) -> Pending {
        let pending = Pending()
        (view ?? self.view).kf.setImage(
            with: source,
            placeholder: placeholder,
            options: bench.viewOptions + options,
            completionHandler: pending.completion
        )
        return pending
    }

    @Test func `VW-5: an image placeholder is the view's image until the image comes`() async throws
    {
        let gate = ServerGate()
        let image = KFCrossPlatformImage()
        let pending = start(bench.serveHeld("/slow.jpg", gate: gate), placeholder: image)
        #expect(view.image === image)
        #expect(view.kf.placeholder as? KFCrossPlatformImage === image)
        gate.open()
        #expect(try await pending.image() === view.image)
        #expect(view.kf.placeholder == nil)
    }

    @Test func `VW-5: a view placeholder lies over the old image and goes`() async throws {
        let gate = ServerGate()
        let veil = Veil()
        let old = KFCrossPlatformImage()
        view.image = old
        let pending = start(bench.serveHeld("/slow.jpg", gate: gate), placeholder: veil)
        #expect(view.subviews.contains { $0 === veil })
        #expect(veil.frame == view.bounds)
        #expect(view.image === old)
        gate.open()
        #expect(try await pending.image() === view.image)
        #expect(veil.superview == nil)
    }

    @Test func `GIF-9: a plain view has all frames decoded, an animated one decodes them itself`()
        async throws
    {
        bench.server.route("/a.gif", .body(TestImage.gif, type: "image/gif"))
        let source = Source.network(bench.server.url("/a.gif"))
        let image = try await start(source).image()
        #expect(image === view.image)
        #expect(image.images?.count == 3)
        #expect(image.kf.frameSource == nil)
        let animated = AnimatedImageView()
        let other = try await start(source, on: animated).image()
        #expect(other === animated.image)
        #expect(other.images == nil)
        #expect(other.kf.frameSource?.frameCount == 3)
    }

    @Test func `VW-9: a view placeholder stays on failure, and goes for a failure image`()
        async throws
    {
        bench.server.route("/404", .status(404))
        let source = Source.network(bench.server.url("/404"))
        let veil = Veil()
        _ = try await start(source, placeholder: veil).error()
        #expect(veil.superview === view)
        let failure = KFCrossPlatformImage()
        _ = try await start(source, placeholder: veil, options: [.onFailureImage(failure)]).error()
        #expect(veil.superview == nil)
        #expect(view.image === failure)
    }

    @Test func `VW-4: a kept view placeholder counts as shown`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let veil = Veil()
        let first = start(source, placeholder: veil)
        let second = start(
            source,
            placeholder: KFCrossPlatformImage(),
            options: [.keepCurrentImageWhileLoading]
        )
        #expect(view.kf.placeholder as? Veil === veil)
        gate.open()
        _ = try await first.error()
        _ = try await second.image()
    }

    @Test func `VW-11: the activity indicator shows while at least one load runs`() async throws {
        let gates = [ServerGate(), ServerGate()]
        view.kf.indicatorType = .activity
        let indicator = try #require(view.kf.indicator)
        #expect(indicator.view.superview === view)
        #expect(indicator.view.isHidden)
        let first = start(bench.serveHeld("/a.jpg", gate: gates[0]))
        let second = start(bench.serveHeld("/b.jpg", gate: gates[1]))
        #expect(!indicator.view.isHidden)
        gates[0].open()
        _ = try await first.error()
        #expect(!indicator.view.isHidden)
        gates[1].open()
        _ = try await second.image()
        #expect(indicator.view.isHidden)
        view.kf.indicatorType = .none
        #expect(view.kf.indicator == nil)
        #expect(indicator.view.superview == nil)
    }

    @Test func `VW-11: a custom indicator is started and stopped around each load`() async throws {
        let banner = Banner(.full)
        view.kf.indicatorType = .custom(indicator: banner)
        let url = bench.serveJPEG("/a.jpg")
        _ = try await start(.network(url)).image()
        #expect(banner.calls.value == ["start", "stop"])
        _ = start(.network(url))
        #expect(banner.calls.value == ["start", "stop", "start", "stop"])
    }

    @Test func `VW-12: an indicator is centred with its offset, as large as it asks`() {
        let strategies: [(IndicatorSizeStrategy, CGSize)] = [
            (.intrinsicSize, CGSize(width: 10, height: 4)),
            (.full, CGSize(width: 100, height: 50)),
            (.size(CGSize(width: 20, height: 20)), CGSize(width: 20, height: 20)),
        ]
        for (strategy, size) in strategies {
            let banner = Banner(strategy)
            view.kf.indicatorType = .custom(indicator: banner)
            #expect(banner.view.frame.size == size)
            #expect(banner.view.center == CGPoint(x: 55, y: 20))
        }
        view.frame.size = CGSize(width: 200, height: 100)
        #expect(view.kf.indicator?.view.center == CGPoint(x: 105, y: 45))
    }

    @Test func `an image indicator shows its image`() throws {
        view.kf.indicatorType = .image(imageData: TestImage.png(width: 8, height: 6))
        let shown = try #require(view.kf.indicator?.view as? KFCrossPlatformImageView)
        #expect(shown.image?.pixelWidth == 8)
        #expect(shown.frame.size == CGSize(width: 8, height: 6))
    }

    @Test func `VW-13: the completion waits for the transition and comes once`() async throws {
        let view = FadingView()
        let url = bench.serveJPEG("/a.jpg")
        let pending = start(.network(url), on: view, options: [.transition(.fade(0.2))])
        await view.began.wait()
        #expect(!pending.isOver)
        #expect(view.image == nil)
        view.finish?()
        #expect(try await pending.image() === view.image)
    }

    @Test func `VW-13: a cached image is set directly unless the transition is forced`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        let view = FadingView()
        _ = try await start(.network(url), on: view).image()
        #expect(view.finish == nil)
        let cached = start(.network(url), on: view, options: [.transition(.fade(0.2))])
        #expect(cached.isOver)
        let forced = start(
            .network(url),
            on: view,
            options: [.transition(.fade(0.2)), .forceTransition]
        )
        #expect(!forced.isOver)
        view.finish?()
        _ = try await forced.image()
    }

    @Test func `a plain view shows a transition's image at once`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let pending = start(.network(url), options: [.transition(.flipFromLeft(1))])
        #expect(try await pending.image() === view.image)
    }

    @Test func `a view that goes away takes its state along`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        weak var gone: KFCrossPlatformImageView?
        let pending: Pending
        do {
            let view = KFCrossPlatformImageView()
            view.kf.indicatorType = .activity
            gone = view
            pending = start(source, on: view)
        }
        #expect(gone == nil)
        gate.open()
        _ = try await pending.image()
    }

    @Test func `VW-17 VW-18: a button's images are independent of each other`() async throws {
        let button = KFCrossPlatformButton()
        let url = bench.serveJPEG("/a.jpg")
        _ = try await start(.network(url), options: [.waitForCache]).image()
        bench.cache.clearMemoryCache()
        let serializer = HeldSerializer()
        let pendings = [Pending(), Pending()]
        button.kf.setImage(
            with: url,
            options: bench.viewOptions + [.cacheSerializer(serializer)],
            completionHandler: pendings[0].completion
        )
        await serializer.started.wait()
        button.kf.setAlternateImage(
            with: bench.serveHeld("/b.jpg", width: 20, gate: ServerGate()),
            options: bench.viewOptions,
            completionHandler: pendings[1].completion
        )
        #expect(button.kf.taskIdentifier != nil)
        #expect(button.kf.taskIdentifier != button.kf.alternateTaskIdentifier)
        button.kf.cancelAlternateImageDownloadTask()
        #expect(try await pendings[1].error().isTaskCancelled)
        serializer.release.signal()
        #expect(try await pendings[0].image() === button.image)
        #expect(button.alternateImage == nil)
        let pending = Pending()
        button.kf.setAlternateImage(
            with: url,
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        #expect(pending.isOver)
        #expect(button.alternateImage === button.image)
    }

    @Test func `a button takes its alternate image from every kind of source`() async throws {
        let button = KFCrossPlatformButton()
        let url = bench.serveJPEG("/a.jpg")
        let provider = RawImageDataProvider(data: TestImage.jpeg(), cacheKey: "raw")
        let pendings = (0..<4).map { _ in Pending() }
        button.kf.setAlternateImage(
            with: provider,
            options: bench.viewOptions,
            completionHandler: pendings[0].completion
        )
        #expect(try await pendings[0].image() === button.alternateImage)
        button.kf.setAlternateImage(
            with: provider,
            options: bench.viewOptions,
            progressBlock: { _, _ in },
            completionHandler: pendings[1].completion
        )
        #expect(try await pendings[1].image() === button.alternateImage)
        button.kf.setAlternateImage(
            with: url,
            options: bench.viewOptions,
            completionHandler: pendings[2].completion
        )
        #expect(try await pendings[2].image() === button.alternateImage)
        button.kf.setAlternateImage(
            with: Source.network(url),
            options: bench.viewOptions,
            completionHandler: pendings[3].completion
        )
        #expect(try await pendings[3].image() === button.alternateImage)
        #expect(button.image == nil)
    }

    @Test func `a placeholder and an indicator may use their view as they end`() {
        let view = KFCrossPlatformImageView()
        let none: URL? = nil
        let veil = { @MainActor in
            let veil = Veil()
            veil.object = EndingObject {
                MainActor.assumeIsolated { #expect(view.kf.placeholder == nil) }
            }
            return veil
        }
        view.kf.setImage(with: none, placeholder: veil())
        view.kf.setImage(with: none)
        let banner = { @MainActor in
            var banner = Banner(.full)
            banner.object = EndingObject {
                MainActor.assumeIsolated { #expect(view.kf.indicator == nil) }
            }
            return banner
        }
        view.kf.indicatorType = .custom(indicator: banner())
        view.kf.indicatorType = .none
        #expect(view.kf.indicator == nil)
    }
}
