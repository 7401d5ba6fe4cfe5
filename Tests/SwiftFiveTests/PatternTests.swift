import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// Programs of the 7.x style compile in Swift 5 mode and work as before.
@Suite(.timeLimit(.minutes(1)))
@MainActor
struct PatternTests {
    let bench: ImageTestBench
    let url: URL

    init() throws {
        bench = try ImageTestBench()
        url = try #require(URL(string: "https://example.test/a.png"))
        bench.transport.answer(url, with: .picture(.solid(.red, width: 8, height: 6)))
    }

    var options: KingfisherOptionsInfo {
        [.targetCache(bench.cache), .downloader(bench.downloader)]
    }

    final class Listener: ListManagerDelegate {
        var loaded: [Int] = []
        var failed: [Int] = []
        let done: () -> Void

        init(done: @escaping () -> Void) { self.done = done }

        func listManager(_ manager: ListManager, didLoad image: KFCrossPlatformImage, at index: Int)
        {
            loaded.append(index)
            if loaded.count + failed.count == 2 { done() }
        }

        func listManager(_ manager: ListManager, didFail error: KingfisherError, at index: Int) {
            failed.append(index)
            if loaded.count + failed.count == 2 { done() }
        }
    }

    @Test func `a manager without isolation, and its weak delegate`() async throws {
        let missing = try #require(URL(string: "https://example.test/none.png"))
        bench.transport.answer(missing, with: .status(404))
        let list = ListManager(manager: bench.manager)
        var listener: Listener?
        await withCheckedContinuation { continuation in
            listener = Listener { continuation.resume() }
            list.delegate = listener
            list.load([url, missing])
        }
        #expect(listener?.loaded == [0])
        #expect(listener?.failed == [1])
        #expect(list.images[0]?.size == CGSize(width: 8, height: 6))
        #expect(list.progress.totalUnitCount > 0)
        #expect(list.progress.isFinished)
        #expect(list.tasks.isEmpty)
    }

    @Test func `a service whose closures say nothing of threads`() async throws {
        let service = ImageService(manager: bench.manager)
        let image = try await withCheckedThrowingContinuation { continuation in
            service.image(at: url) { continuation.resume(with: $0) }
        }
        #expect(image.size == CGSize(width: 8, height: 6))
        let cached = await withCheckedContinuation { continuation in
            service.cached(url) { continuation.resume(returning: $0) }
        }
        #expect(cached === image)
        await withCheckedContinuation { continuation in
            service.store(image, for: url) { continuation.resume() }
        }
        let missing = try #require(URL(string: "https://example.test/none.png"))
        bench.transport.answer(missing, with: .status(404))
        do {
            _ = try await withCheckedThrowingContinuation { continuation in
                service.image(at: missing) { continuation.resume(with: $0) }
            }
            Issue.record("there is no such picture")
        } catch {
            #expect((error as NSError).domain == ImageService.errorDomain)
            #expect((error as NSError).code == 404)
        }
    }

    @Test func `modifiers, processors, serializers and providers as structs and classes`()
        async throws
    {
        var count = 0
        let modifier = TokenModifier {
            count += 1
            return "token \(count)"
        }
        let counter = CountingProcessor.Counter()
        let serializer = PlainSerializer()
        let watcher = DownloadWatcher()
        bench.downloader.delegate = watcher
        let result = try await bench.manager.retrieveImage(
            with: url,
            options: [
                .requestModifier(modifier), .processor(CountingProcessor(counter: counter)),
                .cacheSerializer(serializer), .waitForCache,
            ]
        )
        #expect(result.cacheType == .none)
        #expect(counter.value == 1)
        #expect(serializer.stored == 1)
        #expect(watcher.started == [url])
        #expect(watcher.finished == [url])
        let request = try #require(bench.transport.requests.first)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "token 1")
        let picture = ScriptedPicture.solid(.blue, width: 4, height: 4).data()
        let provider = ClosureProvider(cacheKey: "own") { picture }
        let own = try await bench.manager.retrieveImage(with: .provider(provider))
        #expect(own.image.size == CGSize(width: 4, height: 4))
    }

    @Test func `screens with views, builders and prefetchers`() async throws {
        let screen = Screen()
        screen.show(url, options: options)
        await screen.view.kf.waitUntilLoaded()
        #expect(screen.log == ["shown"])
        screen.build(url, cache: bench.cache, downloader: bench.downloader)
        await screen.view.kf.waitUntilLoaded()
        #expect(screen.log.last == "built")
        let count = await withCheckedContinuation { continuation in
            screen.prefetch([url], options: options + [.forceRefresh]) {
                continuation.resume(returning: $0)
            }
        }
        #expect(count == 1)
    }

    @Test func `every form of the calls that set images`() async {
        let calls = ViewCalls(url: url, options: options)
        let (view, button, card) = (KFCrossPlatformImageView(), KFCrossPlatformButton(), Card())
        let picture = ScriptedPicture.solid(.blue, width: 4, height: 4).data()
        calls.fill(view)
        await view.kf.waitUntilLoaded()
        calls.fill(button, with: ClosureProvider(cacheKey: "own") { picture })
        await button.kf.waitUntilLoaded()
        calls.fill(card, with: url)
        await card.kf.waitUntilLoaded()
        #expect(Set(calls.log) == ["view", "button", "alternate", "target"])
        #expect(view.image?.size == CGSize(width: 8, height: 6))
        #expect(card.image?.size == CGSize(width: 8, height: 6))
    }
}
