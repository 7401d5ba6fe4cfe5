import Foundation
import Kingfisher
import Synchronization

extension Benchmarks {
    /// One load at a time of a small photo that is in the disk cache alone, from the call to the
    /// completion handler.
    static let diskHit = Benchmark(
        name: "disk-hit",
        title: "a lone load of a 480 × 360 JPEG from the disk cache to RGBA pixels",
        work: "disk-hit",
        file: "small.jpg",
        repetitions: 64,
        targets: [.time(1.15, of: "C stored, new memory")]
    ) { data in
        let hit = try DiskHit(of: data)
        return { try hit.load() }
    }
}

/// A cache with copies of a file, and the loads of them, one after the other.
private final class DiskHit: Sendable {
    private let manager: KingfisherManager
    private let urls: [URL]
    private let folder: URL
    private let next = Atomic(0)

    init(of data: Data) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("kf-bench-\(UUID().uuidString)", isDirectory: true)
        let cache = try ImageCache(name: "disk-hit", cacheDirectoryURL: folder)
        manager = KingfisherManager(downloader: ImageDownloader(name: "disk-hit"), cache: cache)
        let urls = (0..<64).compactMap { URL(string: "https://images.example.com/\($0).jpg") }
        self.urls = urls
        try Blocking.run {
            for url in urls { try await cache.storeToDisk(data, forKey: url.absoluteString) }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Loads the next copy, which is no longer in memory, and returns the size of its pixels.
    func load() throws -> Int {
        manager.cache.clearMemoryCache()
        let url = urls[next.add(1, ordering: .relaxed).oldValue % urls.count]
        let ended = DispatchSemaphore(value: 0)
        let outcome = Mutex<Result<RetrieveImageResult, KingfisherError>?>(nil)
        manager.retrieveImage(with: url, options: [.onlyFromCache, .callbackQueue(.untouch)]) {
            result in
            outcome.withLock { $0 = result }
            ended.signal()
        }
        ended.wait()
        guard let result = try outcome.withLock({ $0 })?.get(), result.cacheType == .disk else {
            throw BenchmarkError("the image did not come from the disk")
        }
        return result.image.withPremultipliedRGBA { pixels, _ in pixels.count }
    }
}
