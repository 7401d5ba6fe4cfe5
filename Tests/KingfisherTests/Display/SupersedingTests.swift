import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// How loads end that are superseded or cancelled, or whose target is released.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SupersedingTests: AvatarLoading {
    let bench: TestBench
    let avatar = Avatar()

    init() throws {
        bench = try TestBench()
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

    @Test func `progress ends with a load of nothing, too`() async throws {
        let data = TestImage.jpeg(width: 600)
        let gate = ServerGate()
        bench.server.route("/a.jpg", .gated(data, at: [(data.count / 2, gate)]))
        let reports = Locked(0)
        let seen = Gate()
        let (pending, _) = start(.network(bench.server.url("/a.jpg"))) { [avatar] _, _ in
            reports.change { $0 += 1 }
            MainActor.assumeIsolated { _ = avatar.kf.setImage(with: nil as Source?) }
            seen.open()
        }
        await seen.wait()
        gate.open()
        #expect(try await pending.error().isNotCurrentTask)
        #expect(reports.value == 1)
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

    @Test func `VW-3: placeholder, new identifier, old load withdrawn, in this order`() async throws
    {
        let slow = bench.serveHeld("/slow.jpg", gate: ServerGate())
        let (first, _) = start(slow)
        let identifier = try #require(avatar.kf.taskIdentifier)
        var seen: Source.Identifier.Value?
        avatar.onSet = { [avatar] _ in seen = avatar.kf.taskIdentifier }
        let (second, _) = start(slow, placeholder: KFCrossPlatformImage())
        #expect(seen == identifier, "the placeholder comes while the old load is in force")
        #expect(avatar.kf.taskIdentifier.map { $0 > identifier } == true)
        avatar.kf.cancelDownloadTask()
        _ = try await second.error()
        bench.server.stop()
        #expect(try await first.error().isNotCurrentTask)
    }

    @Test(arguments: ["hit", "miss", "failure", "cancel", "superseded", "nothing"])
    func `VW-15: one completion, whatever happens`(how: String) async throws {
        bench.server.route("/404", .status(404))
        let url = bench.serveJPEG("/a.jpg")
        if how == "hit" { _ = try await start(.network(url)).pending.image() }
        let source: Source? =
            switch how {
            case "failure": .network(bench.server.url("/404"))
            case "nothing": nil
            default: .network(url)
            }
        let (pending, _) = start(source)
        if how == "cancel" { avatar.kf.cancelDownloadTask() }
        if how == "superseded" { _ = try await start(.network(url)).pending.outcome() }
        _ = try await pending.outcome()
        // A second completion would use the same queues as the first one, so it has arrived after
        // this.
        await avatar.kf.waitUntilLoaded()
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
        #expect(pending.outcomes.count == 1)
    }
}
