import Foundation
import KFPixels
import TestSupport
import Testing

@testable import KFCodecs
@testable import Kingfisher

/// Whole loads of damaged files, through the pipeline and both caches, with every processor.
///
/// `FuzzSeeds` says how many. A failure names the seed of its file.
@Suite(.timeLimit(.minutes(10)))
struct DamagedFileTests {
    private static let processors: [any ImageProcessor] =
        GoldenCase.all.map(\.processor) + [
            DefaultImageProcessor.default,
            AnimatedImageProcessor(
                ResizingImageProcessor(referenceSize: CGSize(width: 9, height: 9)),
                format: .WebP
            ),
        ]

    /// The files that the codecs are tested with, which are small.
    private static func fixtures() throws -> [Data] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = tests.appending(path: "KFCodecsTests/Fixtures")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try names.sorted().filter { !$0.hasSuffix(".rgba") && !$0.hasSuffix(".py") }
            .map { try Data(contentsOf: folder.appending(path: $0)) }
    }

    @Test(arguments: WorkerBench.isPossible ? [false, true] : [false])
    func `damaged files give their image or a typed error, and leave nothing wrong in a cache`(
        isolated: Bool
    ) async throws {
        if WorkerBench.isPossible { ProcessIsolation.useProgram(at: WorkerBench.program.path) }
        let fixtures = try Self.fixtures()
        try #require(fixtures.count > 50)
        let folder = try TemporaryDirectory()
        let cache = try ImageCache(name: "damaged", cacheDirectoryURL: folder.url)
        let manager = KingfisherManager(downloader: ImageDownloader(name: "damaged"), cache: cache)
        var (rounds, images) = (0, 0)
        for seed in FuzzSeeds(usually: 150) {
            rounds += 1
            var damage = Damage(seed: seed)
            let data = damage.damaged(fixtures)
            // Programs read drawings in workers only. Without any, the tests of the codecs, which
            // run beside this one, decide whether a processor reads them.
            guard WorkerBench.isPossible || !data.isDrawing else { continue }
            // A header that claims more costs time, and its limits are tested elsewhere.
            let claimed = (try? Codecs.inspect(data))?.storedSize.pixelCount ?? 0
            guard claimed <= 1_000_000 else { continue }
            let processor = Self.processors[damage.number(below: Self.processors.count)]
            let load = DamagedLoad(
                seed: seed,
                data: data,
                processor: processor,
                isolated: isolated
            )
            if try await load.run(manager, cache) { images += 1 }
        }
        // Damage that nothing sees, and bytes that do not matter, leave images.
        #expect(images > 0)
        #expect(images < rounds)
    }
}

/// One file and what is made of it.
private struct DamagedLoad {
    let seed: UInt64
    let data: Data
    let processor: any ImageProcessor
    let isolated: Bool

    private var key: String { "file \(seed)" }

    /// Loads twice, from the bytes and from the disk, and tells whether there was an image.
    func run(_ manager: KingfisherManager, _ cache: ImageCache) async throws -> Bool {
        let source = Source.provider(RawImageDataProvider(data: data, cacheKey: key))
        var options: KingfisherOptionsInfo = [.processor(processor), .waitForCache]
        let direct = processor.process(
            item: .data(data),
            options: KingfisherParsedOptionsInfo(options)
        )
        // Decoded apart it has to be the same, and has to fail in the same way.
        if isolated { options.append(.isolated) }
        let loaded: KFCrossPlatformImage
        do {
            loaded = try await manager.retrieveImage(with: source, options: options).image
        } catch let error as KingfisherError {
            #expect(direct == nil, "seed \(seed), \(processor.identifier): \(error)")
            #expect(!(error.errorDescription ?? "").isEmpty)
            #expect(error.errorCode != 4003, "seed \(seed), \(processor.identifier): \(error)")
            let isCached = cache.isCached(
                forKey: key,
                processorIdentifier: processor.identifier
            )
            #expect(!isCached, "seed \(seed), \(processor.identifier)")
            return false
        }
        let format = (try? Codecs.inspect(data)).map { "\($0.format)" } ?? "no format"
        #expect(
            loaded.bitmap == direct?.bitmap,
            "seed \(seed), \(format), \(processor.identifier)"
        )
        cache.clearMemoryCache()
        // The serializer writes no GIF of one frame, so a processed one is in memory alone.
        guard DefaultCacheSerializer.default.data(with: loaded, original: data) != nil else {
            return true
        }
        do {
            let again = try await manager.retrieveImage(
                with: source,
                options: options + [.onlyFromCache]
            )
            let isSame = again.image.bitmap?.size == loaded.bitmap?.size
            #expect(isSame, "seed \(seed), \(processor.identifier)")
        } catch {
            Issue.record("seed \(seed), \(processor.identifier), from the disk: \(error)")
        }
        return true
    }
}

/// Seeded changes to files.
private struct Damage {
    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    /// One of the files with one to three changes.
    mutating func damaged(_ files: [Data]) -> Data {
        var bytes = [UInt8](files[number(below: files.count)])
        for _ in 0...number(below: 3) { change(&bytes, files) }
        return Data(bytes)
    }

    private mutating func change(_ bytes: inout [UInt8], _ files: [Data]) {
        guard bytes.count > 1 else { return }
        let start = number(below: bytes.count)
        let end = min(bytes.count, start + 1 + number(below: 64))
        switch number(below: 6) {
        case 0:
            bytes[start] ^= 1 << UInt8(number(below: 8))
        case 1:
            bytes.removeSubrange(start...)
        case 2:
            bytes.removeSubrange(start..<end)
        case 3:
            for index in start..<end { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        case 4:
            bytes.insert(contentsOf: bytes[start..<end], at: number(below: bytes.count))
        default:
            // The end of another file.
            let other = files[number(below: files.count)]
            bytes.replaceSubrange(start..., with: other.suffix(other.count / 2))
        }
    }
}
