import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// A type that knows nothing of views, made a target in one line.
private final class Avatar: KingfisherHasImageComponent { var image: KFCrossPlatformImage? }

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ImageBindingTests {
    let bench: TestBench
    private let avatar = Avatar()

    init() throws {
        bench = try TestBench()
    }

    private func start(
        _ source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo = [],
        progress: DownloadProgressBlock? = nil
    ) -> (pending: Pending, task: DownloadTask?) {
        let pending = Pending()
        let task = avatar.kf.setImage(
            with: source,
            placeholder: placeholder,
            options: bench.viewOptions + options,
            progressBlock: progress,
            completionHandler: pending.completion
        )
        return (pending, task)
    }

    @Test func `any type becomes a target in five lines`() async throws {
        final class Card: KingfisherImageSettable {
            var picture: KFCrossPlatformImage?
            func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
                picture = image
            }
            func getImage() -> KFCrossPlatformImage? { picture }
        }
        let card = Card()
        let pending = Pending()
        card.kf.setImage(
            with: bench.serveJPEG("/a.jpg"),
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        let image = try await pending.image()
        #expect(card.picture === image)
        #expect(card.getImage()?.pixelWidth == 64)
    }

    @Test func `VW-16: resource, provider and source flavours load alike`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let data = TestImage.png(width: 20, height: 10)
        let pendings = [Pending(), Pending(), Pending()]
        let options = bench.viewOptions
        avatar.kf.setImage(
            with: url,
            options: options,
            completionHandler: pendings[0].completion
        )
        #expect(try await pendings[0].image() === avatar.image)
        avatar.kf.setImage(
            with: RawImageDataProvider(data: data, cacheKey: "raw"),
            options: options,
            completionHandler: pendings[1].completion
        )
        #expect(try await pendings[1].image().pixelWidth == 20)
        avatar.kf.setImage(
            with: Source.network(url),
            options: options,
            completionHandler: pendings[2].completion
        )
        #expect(try await pendings[2].outcome().get().cacheType == .memory)
    }

    @Test func `VW-1: the completion comes on main, whatever the callback queue`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let queue = DispatchQueue(label: "elsewhere")
        let (pending, _) = start(.network(url), options: [.callbackQueue(.dispatch(queue))])
        // The completion asserts its isolation before it records the outcome.
        _ = try await pending.image()
    }

    @Test func `a memory hit is shown before the call returns`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await start(.network(url)).pending.image()
        avatar.image = nil
        let (pending, task) = start(.network(url), placeholder: KFCrossPlatformImage())
        #expect(pending.isOver)
        #expect(task == nil)
        #expect(avatar.image?.pixelWidth == 64)
        #expect(avatar.kf.taskIdentifier == nil)
    }

    @Test func `VW-2: no source shows the placeholder and ends at once`() async throws {
        let placeholder = KFCrossPlatformImage()
        avatar.image = KFCrossPlatformImage()
        let (pending, task) = start(nil, placeholder: placeholder)
        #expect(pending.isOver)
        #expect(task == nil)
        #expect(avatar.image === placeholder)
        #expect(try await pending.error().errorCode == 5001)
        _ = start(nil)
        #expect(avatar.image == nil)
    }

    @Test func `VW-2: no source leaves the earlier load running, but not current`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let (first, _) = start(source)
        let (second, _) = start(nil)
        #expect(second.isOver)
        #expect(avatar.kf.taskIdentifier == nil)
        gate.open()
        let error = try await first.error()
        guard case .imageSettingError(reason: .notCurrentSourceTask(let result, _, _)) = error
        else {
            Issue.record("unexpected error \(error)")
            return
        }
        #expect(result != nil)
        #expect(avatar.image == nil)
    }

    @Test func `VW-4: the placeholder replaces the old image at once`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let placeholder = KFCrossPlatformImage()
        avatar.image = KFCrossPlatformImage()
        let (first, _) = start(source, placeholder: placeholder)
        #expect(avatar.image === placeholder)
        let (second, _) = start(source)
        #expect(avatar.image == nil)
        gate.open()
        _ = try await first.error()
        _ = try await second.image()
    }

    @Test func `VW-4: a kept image stays, an empty target gets the placeholder`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let placeholder = KFCrossPlatformImage()
        let kept = KFCrossPlatformImage()
        let (first, _) = start(
            source,
            placeholder: placeholder,
            options: [.keepCurrentImageWhileLoading]
        )
        #expect(avatar.image === placeholder)
        avatar.image = kept
        let (second, _) = start(
            source,
            placeholder: placeholder,
            options: [.keepCurrentImageWhileLoading]
        )
        #expect(avatar.image === kept)
        gate.open()
        _ = try await first.error()
        #expect(try await second.image() === avatar.image)
    }

    @Test func `VW-6 MGR-35: a superseded download is cached, not shown`() async throws {
        let gate = ServerGate()
        let slow = bench.serveHeld("/slow.jpg", width: 30, gate: gate)
        let (first, _) = start(slow)
        let (second, _) = start(.network(bench.serveJPEG("/b.jpg")))
        _ = try await second.image()
        gate.open()
        let error = try await first.error()
        #expect(error.isNotCurrentTask)
        guard
            case .imageSettingError(reason: .notCurrentSourceTask(let result, _, let source)) =
                error
        else { return }
        #expect(result?.image.pixelWidth == 30)
        #expect(source == slow)
        #expect(avatar.image?.pixelWidth == 64)
        #expect(bench.cache.isCached(forKey: slow.cacheKey))
    }

    @Test func `VW-6 MGR-46: a superseded failure is not retried`() async throws {
        struct Forbidden: RetryStrategy {
            func retry(
                context: RetryContext,
                retryHandler: @escaping @Sendable (RetryDecision) -> Void
            ) {
                Issue.record("asked about a load that nobody wants")
                retryHandler(.stop)
            }
        }
        let gate = ServerGate()
        bench.server.route("/bad", .held(gate, then: .status(500)))
        let other = bench.serveJPEG("/b.jpg")
        let (first, _) = start(
            .network(bench.server.url("/bad")),
            options: [.retryStrategy(Forbidden()), .alternativeSources([.network(other)])]
        )
        let (second, _) = start(.network(other))
        _ = try await second.image()
        gate.open()
        let error = try await first.error()
        guard case .imageSettingError(reason: .notCurrentSourceTask(nil, let inner?, _)) = error
        else {
            Issue.record("unexpected error \(error)")
            return
        }
        #expect((inner as? KingfisherError)?.isInvalidResponseStatusCode(500) == true)
        #expect(bench.server.requests(for: "/b.jpg").count == 1)
    }

    @Test func `VW-6 CAC-14: a superseded disk read leaves memory alone`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await start(.network(url), options: [.waitForCache]).pending.image()
        bench.cache.clearMemoryCache()
        let serializer = HeldSerializer()
        let (first, task) = start(.network(url), options: [.cacheSerializer(serializer)])
        #expect(task == nil)
        await serializer.started.wait()
        let (second, _) = start(.network(bench.serveJPEG("/b.jpg")))
        serializer.release.signal()
        let error = try await first.error()
        guard case .imageSettingError(reason: .notCurrentSourceTask(nil, let inner?, _)) = error
        else {
            Issue.record("unexpected error \(error)")
            return
        }
        #expect((inner as? KingfisherError)?.errorCode == 3006)
        #expect(!bench.cache.memoryStorage.isCached(forKey: url.cacheKey))
        #expect(bench.server.requests(for: "/a.jpg").count == 1)
        _ = try await second.image()
    }

    @Test func `VW-8: cancelling a disk read gives imageNotExisting`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        _ = try await start(.network(url), options: [.waitForCache]).pending.image()
        bench.cache.clearMemoryCache()
        let serializer = HeldSerializer()
        let (pending, _) = start(.network(url), options: [.cacheSerializer(serializer)])
        await serializer.started.wait()
        avatar.kf.cancelDownloadTask()
        serializer.release.signal()
        #expect(try await pending.error().errorCode == 3006)
        #expect(!bench.cache.memoryStorage.isCached(forKey: url.cacheKey))
        #expect(bench.cache.isCached(forKey: url.cacheKey))
    }

    @Test func `VW-8 VW-10: a cancel gives the plain error and keeps the identifier`() async throws
    {
        let source = bench.serveHeld("/slow.jpg", gate: ServerGate())
        let (pending, task) = start(source)
        let identifier = avatar.kf.taskIdentifier
        #expect(task?.isInitialized == true)
        #expect(identifier != nil)
        avatar.kf.cancelDownloadTask()
        #expect(avatar.kf.taskIdentifier == identifier)
        #expect(try await pending.error().isTaskCancelled)
        #expect(avatar.kf.taskIdentifier == nil)
    }

    @Test func `VW-8: cancelling a provider's load names the provider`() async throws {
        struct Endless: ImageDataProvider {
            let cacheKey = "endless"
            let started = Gate()
            func data() async throws -> Data {
                started.open()
                while true {
                    try Task.checkCancellation()
                    await Task.yield()
                }
            }
        }
        let provider = Endless()
        let (pending, task) = start(.provider(provider))
        #expect(task != nil)
        await provider.started.wait()
        avatar.kf.cancelDownloadTask()
        #expect(try await pending.error().errorCode == 1006)
    }

    @Test func `VW-8: a cancel stops the replacement of a failed load too`() async throws {
        bench.server.route("/bad", .status(500))
        let gate = ServerGate()
        let slow = bench.serveHeld("/slow.jpg", gate: gate)
        let (pending, _) = start(
            .network(bench.server.url("/bad")),
            options: [.alternativeSources([slow])]
        )
        await gate.reached()
        avatar.kf.cancelDownloadTask()
        #expect(try await pending.error().isTaskCancelled)
    }

    @Test func `VW-7: three loads of one URL end once each`() async throws {
        let source = bench.serveHeld("/slow.jpg", gate: ServerGate())
        let loads = (0..<3).map { _ in start(source) }
        for load in loads { load.task?.cancel() }
        for load in loads {
            let error = try await load.pending.error()
            #expect(error.isNotCurrentTask || error.isTaskCancelled)
        }
        #expect(try await loads[2].pending.error().isTaskCancelled)
    }

    @Test func `VW-19: two targets with one URL share the download`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let other = Avatar()
        let pending = Pending()
        let (first, _) = start(source)
        other.kf.setImage(
            with: source,
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        gate.open()
        #expect(try await first.image() === avatar.image)
        #expect(try await pending.image() === other.image)
        #expect(bench.server.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `VW-9 OPT-5: the failure image, or none, is set when given`(hasImage: Bool) async throws {
        bench.server.route("/404", .status(404))
        let source = Source.network(bench.server.url("/404"))
        let failure = hasImage ? KFCrossPlatformImage() : nil
        let placeholder = KFCrossPlatformImage()
        _ = try await start(
            source,
            placeholder: placeholder,
            options: [.onFailureImage(failure)]
        ).pending.error()
        #expect(avatar.image === failure)
        _ = try await start(source, placeholder: placeholder).pending.error()
        #expect(avatar.image === placeholder)
    }

    @Test func `VW-14: progress ends with the cancel`() async throws {
        let data = TestImage.jpeg(width: 600)
        let gate = ServerGate()
        bench.server.route("/a.jpg", .gated(data, at: [(data.count / 2, gate)]))
        let reports = Locked(0)
        let seen = Gate()
        let (pending, _) = start(.network(bench.server.url("/a.jpg"))) { [avatar] _, total in
            #expect(total == Int64(data.count))
            reports.change { $0 += 1 }
            MainActor.assumeIsolated { avatar.kf.cancelDownloadTask() }
            seen.open()
        }
        await seen.wait()
        gate.open()
        #expect(try await pending.error().isTaskCancelled)
        #expect(reports.value == 1)
    }

    @Test func `KEY-8: identifiers differ between targets and are never 0`() async throws {
        let source = bench.serveHeld("/slow.jpg", gate: ServerGate())
        let other = Avatar()
        let (first, _) = start(source)
        let pending = Pending()
        other.kf.setImage(
            with: source,
            options: bench.viewOptions,
            completionHandler: pending.completion
        )
        let identifiers = [avatar.kf.taskIdentifier, other.kf.taskIdentifier]
        #expect(identifiers[0] != identifiers[1])
        #expect(identifiers.allSatisfy { ($0 ?? 0) > 0 })
        avatar.kf.cancelDownloadTask()
        other.kf.cancelDownloadTask()
        _ = try await first.error()
        _ = try await pending.error()
    }

    @Test func `a target that goes away still gets its completion`() async throws {
        let gate = ServerGate()
        let source = bench.serveHeld("/slow.jpg", gate: gate)
        let pending = Pending()
        weak var gone: Avatar?
        do {
            let target = Avatar()
            gone = target
            target.kf.setImage(
                with: source,
                options: bench.viewOptions,
                completionHandler: pending.completion
            )
        }
        #expect(gone == nil)
        gate.open()
        _ = try await pending.image()
    }

    @Test func `a completion may load again`() async throws {
        let first = bench.serveJPEG("/a.jpg")
        let second = bench.serveJPEG("/b.jpg", width: 20)
        let pending = Pending()
        avatar.kf.setImage(with: first, options: bench.viewOptions) { [avatar, bench] _ in
            avatar.kf.setImage(
                with: second,
                options: bench.viewOptions,
                completionHandler: pending.completion
            )
        }
        #expect(try await pending.image().pixelWidth == 20)
        #expect(avatar.image?.pixelWidth == 20)
    }
}
