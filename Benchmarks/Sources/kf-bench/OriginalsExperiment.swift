import Foundation
import Kingfisher
import KingfisherTesting

/// The load of a service: 200 concurrent thumbnails of twenty photos whose originals are on disk,
/// compared with downloading the photos again.
enum OriginalsExperiment {
    static let experiment = Experiment(
        name: "originals",
        title: "200 thumbnails at once of twenty 12 MP originals on disk, or downloaded"
    ) { folder in
        try run(in: folder)
    }

    private static let photoCount = 20
    private static let loadCount = 200
    /// The limit of the process's peak memory in MB, including the server's photo.
    private static let memoryLimit = 300.0

    private static func run(in folder: URL) throws -> [String] {
        let photo = try makePhoto()
        let server = try LoopbackServer { path, _ in
            Int(path.filter(\.isNumber)).map { LoopbackServer.Answer(body: photo.numbered($0)) }
        }
        defer { server.stop() }
        let urls = (0..<photoCount).compactMap { URL(string: server.url("/\($0).jpg")) }
        let directory = folder.appendingPathComponent("originals", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let cache = try ImageCache(name: "originals", cacheDirectoryURL: directory)
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "originals"),
            cache: cache
        )
        try Blocking.run {
            for (number, url) in urls.enumerated() {
                try await cache.storeToDisk(
                    photo.numbered(number),
                    forKey: url.absoluteString
                )
            }
        }
        let spreads = [("one size", 0), ("a size each", 1)]
        // All from disk first: what downloads leave to the allocator would count, too.
        let stored = try spreads.map { _, spread in
            cache.clearMemoryCache()
            ProcessMemory.resetPeak()
            let time = try seconds {
                try await load(urls, spread, by: manager, [.cacheOriginalImage])
            }
            return (time: time, peak: Double(ProcessMemory.peak) / 1_000)
        }
        return try zip(spreads, stored).flatMap { spread, stored in
            cache.clearMemoryCache()
            let time = try seconds {
                try await load(urls, spread.1, by: manager, [.forceRefresh])
            }
            let count = Double(loadCount)
            return [
                "\(spread.0):",
                String(format: "  originals on disk %6.1f thumbnails/s", count / stored.time),
                String(format: "  downloaded        %6.1f thumbnails/s", count / time),
                "  " + Verdict("time / downloaded", stored.time / time, atMost: 1).line,
                "  " + Verdict("MB at the peak", stored.peak, atMost: memoryLimit).line,
            ]
        }
    }

    private static func load(
        _ urls: [URL],
        _ spread: Int,
        by manager: KingfisherManager,
        _ options: KingfisherOptionsInfo
    ) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<loadCount {
                let side = 400 + spread * number
                let processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
                let url = urls[number % urls.count]
                group.addTask {
                    let result = try await manager.retrieveImage(
                        with: url,
                        options: options + [
                            .processor(processor), .cacheMemoryOnly, .callbackQueue(.untouch),
                        ]
                    )
                    guard result.image.pixelWidth == side else {
                        throw BenchmarkError("an image has the wrong size")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// 12 megapixels with detail everywhere, as a JPEG of a few megabytes.
    private static func makePhoto() throws -> Data {
        let (width, height) = (4_000, 3_000)
        var pixels = Data(count: width * height * 4)
        pixels.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            var state: UInt32 = 1
            for index in 0..<(width * height) {
                state = state &* 1_664_525 &+ 1_013_904_223
                let (x, y) = (index % width, index / width)
                let noise = UInt8(truncatingIfNeeded: state >> 27)
                bytes[4 * index] = UInt8(truncatingIfNeeded: x / 16) &+ noise
                bytes[4 * index + 1] = UInt8(truncatingIfNeeded: y / 12) &+ noise
                bytes[4 * index + 2] = UInt8(truncatingIfNeeded: (x + y) / 28)
                bytes[4 * index + 3] = 255
            }
        }
        let image = KFCrossPlatformImage(premultipliedRGBA: pixels, width: width, height: height)
        guard let data = image?.kf.jpegRepresentation(compressionQuality: 0.9) else {
            throw BenchmarkError("the photo cannot be made")
        }
        return data
    }

    private static func seconds(
        _ body: @escaping @Sendable () async throws -> Void
    ) throws -> Double {
        let watch = Stopwatch()
        try Blocking.run(body)
        return watch.wall
    }
}
