import Dispatch
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Loads while the folder of the disk cache cannot be opened yet.
///
/// Each entry point returns to its caller, although the folder opens only afterwards: a test that
/// waits for the folder ends by its time limit.
@Suite(.timeLimit(.minutes(1)))
struct ClosedFolderTests {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    private let bench: TestBench
    private let cache: ImageCache
    private let files = FaultyFileSystem()
    private let opening = DispatchSemaphore(value: 0)
    private let owner: DiskCache

    init() throws {
        bench = try TestBench()
        let config = DiskStorage.Config(name: "held", sizeLimit: 0, directory: bench.folder.url)
        let (files, opening) = (files, opening)
        files.fail { operation, _ in
            guard operation == .open else { return nil }
            opening.wait()
            opening.signal()
            return nil
        }
        owner = DiskCache.shared(at: config.directoryURL) {
            DiskStore(directory: $0, files: files)
        }
        cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1 << 20)),
            diskStorage: try DiskStorage.Backend(config: config)
        )
    }

    private func letOpen() { opening.signal() }

    private static let options: [KingfisherOptionsInfo] = [
        [], [.asyncCacheTypeCheck], [.loadDiskFileSynchronously], [.fromMemoryCacheOrRefresh],
        [.httpCaching], [.httpCaching, .fromMemoryCacheOrRefresh], [.cacheOriginalImage],
        [.forceRefresh], [.onlyFromCache], [.cacheMemoryOnly], [.waitForCache],
        [.processor(ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8)))],
        [
            .processor(ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8))),
            .cacheOriginalImage, .fromMemoryCacheOrRefresh,
        ],
    ]

    @Test(arguments: options)
    func `MGR-23, OPT-13: no load opens a folder on its caller's thread`(
        options: KingfisherOptionsInfo
    ) async throws {
        let url = bench.serveJPEG("/a.jpg")
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let task = bench.manager.retrieveImage(
                with: url,
                options: options + [.targetCache(cache)]
            ) { continuation.resume(returning: $0) }
            #expect(task?.isInitialized == true)
            #expect(task?.sessionTask?.originalURL == url)
            letOpen()
        }
        let onlyFromCache = KingfisherParsedOptionsInfo(options).onlyFromCache
        #expect((try? outcome.get().cacheType) == (onlyFromCache ? nil : CacheType.none))
    }

    @Test(arguments: options)
    func `an awaiting load leaves its thread while the folder opens`(
        options: KingfisherOptionsInfo
    ) async throws {
        let url = bench.serveJPEG("/a.jpg")
        let (manager, cache) = (bench.manager, cache)
        // Started on this thread, which then goes on.
        let load = Task.immediate {
            try await manager.retrieveImage(with: url, options: options + [.targetCache(cache)])
        }
        letOpen()
        let isLoaded = (try? await load.value) != nil
        #expect(isLoaded != KingfisherParsedOptionsInfo(options).onlyFromCache)
    }

    @Test(arguments: [[], [.asyncCacheTypeCheck], [.httpCaching]] as [KingfisherOptionsInfo])
    func `MGR-23: a load cancelled while the folder opens ends at once with taskCancelled`(
        options: KingfisherOptionsInfo
    ) async throws {
        let url = bench.serveJPEG("/a.jpg")
        let outcome: Outcome = await withCheckedContinuation { continuation in
            bench.manager.retrieveImage(with: url, options: options + [.targetCache(cache)]) {
                continuation.resume(returning: $0)
            }?.cancel()
        }
        guard case .failure(let error) = outcome else {
            Issue.record("a cancelled load succeeded")
            return
        }
        #expect(error.errorCode == 1003)
        #expect(error.isTaskCancelled)
        #expect(bench.server.requests.isEmpty)
        letOpen()
    }

    @Test func `MGR-50: an awaiting load cancelled while the folder opens has the same error`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        let (manager, cache) = (bench.manager, cache)
        let load = Task.immediate {
            try await manager.retrieveImage(with: url, options: [.targetCache(cache)])
        }
        load.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await load.value }
        #expect(error?.errorCode == 1003)
        letOpen()
    }

    @Test func `files, originals and made files wait for the folder off their caller's thread`()
        async throws
    {
        let url = bench.serveJPEG("/a.jpg")
        let (manager, cache) = (bench.manager, cache)
        let options: KingfisherOptionsInfo = [.targetCache(cache)]
        let file = Task.immediate {
            try await manager.retrieveData(with: url, options: options, as: .png)
        }
        let original = Task.immediate {
            try await manager.retrieveOriginalData(with: .network(url), options: options)
        }
        let kept = Task.immediate {
            try await manager.retrieveOriginalData(
                with: .network(url),
                options: options + [.memoryCacheExpiration(.never)]
            )
        }
        let made = Task.immediate {
            try await cache.data(forKey: "made") { Data([1]) }
        }
        letOpen()
        #expect(try await file.value.data.kf.imageFormat == .PNG)
        #expect(try await original.value.data.kf.imageFormat == .JPEG)
        #expect(try await kept.value.data.kf.imageFormat == .JPEG)
        #expect(try await made.value.data == Data([1]))
    }

    @Test func `prefetching waits for the folder off its caller's thread`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let (manager, cache) = (bench.manager, cache)
        let completed = await withCheckedContinuation { continuation in
            let prefetcher = ImagePrefetcher(
                resources: [url],
                options: [.targetCache(cache)],
                manager: manager,
                completionHandler: { _, _, completed in
                    continuation.resume(returning: completed.count)
                }
            )
            prefetcher.start()
            letOpen()
        }
        #expect(completed == 1)
    }

    @Test @MainActor func `a view does not wait for the folder`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let view = KFCrossPlatformImageView()
        let outcome: Outcome = await withCheckedContinuation { continuation in
            let task = view.kf.setImage(
                with: url,
                options: [.targetCache(cache), .downloader(bench.manager.downloader)]
            ) { continuation.resume(returning: $0) }
            #expect(task?.isInitialized == true)
            letOpen()
        }
        #expect(try outcome.get().cacheType == .none)
    }

    @Test func `observers and refusals do not open the folder`() async throws {
        let url = bench.serveJPEG("/a.jpg")
        let (manager, cache) = (bench.manager, cache)
        let observation = manager.observeLoads { _ in }
        let load = Task.immediate {
            try await manager.retrieveImage(
                with: url,
                options: [.targetCache(cache), .fromMemoryCacheOrRefresh, .cacheMemoryOnly]
            )
        }
        // The load ends although the folder stays closed.
        #expect(try await load.value.cacheType == .none)
        letOpen()
        withExtendedLifetime(observation) {}
    }
}
