import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Loads of images whose files cannot be read.
@Suite(.timeLimit(.minutes(1)))
struct UnreadableFileTests {
    private let bench: TestBench
    private let cache: ImageCache
    private let files = FaultyFileSystem()
    private let owner: DiskCache
    private let url: URL

    init() async throws {
        bench = try TestBench()
        let files = files
        let config = DiskStorage.Config(name: "bad", sizeLimit: 0, directory: bench.folder.url)
        owner = DiskCache.shared(at: config.directoryURL) {
            DiskStore(directory: $0, files: files)
        }
        cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1 << 20)),
            diskStorage: try DiskStorage.Backend(config: config)
        )
        url = bench.serveJPEG("/a.jpg")
        try await cache.storeToDisk(TestImage.jpeg(), forKey: url.cacheKey)
        files.fail { operation, _ in operation == .read ? .ioError : nil }
    }

    private struct OwnSerializer: CacheSerializer {
        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
            DefaultCacheSerializer.default.data(with: image, original: original)
        }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
            DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    @Test(
        arguments: [
            [], [.cacheSerializer(OwnSerializer())], [.loadDiskFileSynchronously],
            [.processor(ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8)))],
        ] as [KingfisherOptionsInfo]
    )
    func `DSK-18: a load that may use the cache only fails with the error of the file`(
        options: KingfisherOptionsInfo
    ) async throws {
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: url,
                options: options + [.targetCache(cache), .onlyFromCache]
            )
        }
        #expect(error?.errorCode == 3004)
    }

    @Test func `concurrent loads each get the error`() async {
        let codes = await withTaskGroup { group in
            for _ in 0..<20 {
                group.addTask {
                    let options: KingfisherOptionsInfo = [.targetCache(cache), .onlyFromCache]
                    do {
                        _ = try await bench.manager.retrieveImage(with: url, options: options)
                        return 0
                    } catch {
                        return (error as? KingfisherError)?.errorCode ?? 0
                    }
                }
            }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(codes == [3004])
    }

    @Test func `other loads take the image from its source`() async throws {
        let result = try await bench.manager.retrieveImage(
            with: url,
            options: [.targetCache(cache)]
        )
        #expect(result.cacheType == .none)
    }

    @Test func `a cache that does not have the image says so`() async {
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: bench.server.url("/other.jpg"),
                options: [.targetCache(cache), .onlyFromCache]
            )
        }
        #expect(error?.errorCode == 3006)
    }
}
