public import Foundation
public import Kingfisher

/// A manager isolated from the machine: without network, shared caches or real time.
///
/// ```swift
/// let bench = try ImageTestBench()
/// bench.transport.answer(url, with: .picture(.solid(.red)))
/// let result = try await bench.manager.retrieveImage(with: url)
/// ```
///
/// The disk cache is in a new folder inside the system's temporary folder and is removed with the
/// bench. Benches share nothing, so tests can run in parallel.
public final class ImageTestBench: Sendable {
    /// Answers the requests of the downloader.
    public let transport = FakeTransport()
    /// The clock of the cache.
    public let clock = ManualClock()
    /// A cache in memory and in ``folder``, initially empty.
    public let cache: ImageCache
    /// A downloader that uses ``transport``.
    public let downloader: ImageDownloader
    /// A manager that uses the downloader and the cache.
    public let manager: KingfisherManager
    /// The folder of the disk cache.
    public let folder: URL

    /// Makes a bench.
    ///
    /// - Parameter memoryCostLimit: The limit of the memory cache in bytes of pixels.
    /// - Throws: `cannotCreateDirectory` if the temporary folder is not writable.
    public init(memoryCostLimit: Int = 64 << 20) throws {
        folder = try Self.makeFolder()
        let disk = DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder)
        cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(
                config: MemoryStorage.Config(totalCostLimit: memoryCostLimit),
                clock: clock.clock
            ),
            diskStorage: try DiskStorage.Backend(config: disk, clock: clock.clock)
        )
        downloader = ImageDownloader(name: "test", transport: transport)
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    private static func makeFolder() throws -> URL {
        let base = FileManager.default.temporaryDirectory
        var path = base.appendingPathComponent("kingfisher-XXXXXX").path.utf8CString.map { $0 }
        guard mkdtemp(&path) != nil else {
            let error = POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            throw KingfisherError.cacheError(
                reason: .cannotCreateDirectory(path: base.path, error: error)
            )
        }
        return path.withUnsafeBufferPointer {
            URL(
                fileURLWithPath: $0.baseAddress.map { String(cString: $0) } ?? "",
                isDirectory: true
            )
        }
    }

    deinit {
        // If removal fails now, the system cleans its temporary folder later.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Loads an image with the manager and waits until it is stored in memory and on disk.
    ///
    /// - Parameters:
    ///   - url: The URL; set an answer for it in ``transport`` first.
    ///   - options: Override the default options of the manager.
    /// - Returns: The result of the manager.
    /// - Throws: The error of the manager.
    @discardableResult
    public func load(
        _ url: URL,
        options: KingfisherOptionsInfo = []
    ) async throws -> RetrieveImageResult {
        try await manager.retrieveImage(with: url, options: options + [.waitForCache])
    }
}
