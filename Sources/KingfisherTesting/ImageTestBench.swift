public import Foundation
public import Kingfisher

/// A manager with nothing of the machine's in it: no network, no shared cache, no real time.
///
/// ```swift
/// let bench = try ImageTestBench()
/// bench.transport.answer(url, with: .picture(.solid(.red)))
/// let result = try await bench.manager.retrieveImage(with: url)
/// ```
///
/// Its disk cache is a folder of its own in the system's temporary folder, which is removed with
/// the bench. Benches share nothing, so that tests may run side by side.
public final class ImageTestBench: Sendable {
    /// Answers the downloader's requests.
    public let transport = FakeTransport()
    /// Tells the cache what time it is.
    public let clock = ManualClock()
    /// A cache in memory and in ``folder``, empty at first.
    public let cache: ImageCache
    /// A downloader on ``transport``.
    public let downloader: ImageDownloader
    /// The manager of both.
    public let manager: KingfisherManager
    /// Where the disk cache is.
    public let folder: URL

    /// Makes a bench.
    ///
    /// - Parameter memoryCostLimit: Bytes of pixels that the memory cache holds.
    /// - Throws: `cannotCreateDirectory` when the temporary folder cannot be written.
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
        // The folder lies in the system's temporary folder: what cannot be removed now goes later.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Loads a picture over the manager and waits until both layers of the cache have it.
    ///
    /// - Parameters:
    ///   - url: Where it comes from; has ``transport`` an answer for it?
    ///   - options: Over those of the manager.
    /// - Returns: What the manager returns.
    /// - Throws: What the manager throws.
    @discardableResult
    public func load(
        _ url: URL,
        options: KingfisherOptionsInfo = []
    ) async throws -> RetrieveImageResult {
        try await manager.retrieveImage(with: url, options: options + [.waitForCache])
    }
}
