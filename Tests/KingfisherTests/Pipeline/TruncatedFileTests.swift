import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Files that end early, with ``KingfisherOptionsInfoItem/acceptsTruncatedFiles`` and without.
@Suite(.timeLimit(.minutes(1)))
struct TruncatedFileTests {
    private let bench: TestBench
    private let url: URL
    private let small = DownsamplingImageProcessor(size: CGSize(width: 60, height: 60))

    init() throws {
        bench = try TestBench()
        let file = TestImage.jpeg(width: 200, height: 160)
        let half = Data(file.prefix(file.count * 3 / 4))
        bench.server.route("/half.jpg", .body(half, type: "image/jpeg"))
        url = bench.server.url("/half.jpg")
    }

    private func load(_ options: KingfisherOptionsInfo) async throws -> RetrieveImageResult {
        try await bench.manager.retrieveImage(with: url, options: options + [.waitForCache])
    }

    /// Whether the last row is grey.
    private func endsGrey(_ image: KFCrossPlatformImage) throws -> Bool {
        let bitmap = try #require(image.bitmap)
        let pixel = bitmap[bitmap.width / 2, bitmap.height - 1]
        return [pixel.red, pixel.green, pixel.blue].allSatisfy { $0 == 128 } && bitmap.isOpaque
    }

    @Test func `a truncated file fails unless it is accepted`() async throws {
        await #expect(throws: KingfisherError.self) { try await load([]) }
        let result = try await load([.acceptsTruncatedFiles])
        #expect(result.isTruncated)
        #expect(result.image.pixelHeight == 160)
        #expect(try endsGrey(result.image))
    }

    @Test func `a truncated image is marked after every processor, and never cached`()
        async throws
    {
        let processors: [any ImageProcessor] = [
            DefaultImageProcessor.default, small, small |> BlurImageProcessor(blurRadius: 1),
            DefaultImageProcessor.default |> RotatingImageProcessor(degrees: 180),
        ]
        for processor in processors {
            let options: KingfisherOptionsInfo = [
                .acceptsTruncatedFiles, .processor(processor), .cacheOriginalImage,
            ]
            let requests = bench.server.requests.count
            for number in 1...2 {
                let result = try await load(options)
                #expect(result.isTruncated, "\(processor.identifier)")
                #expect(result.cacheType == .none)
                #expect(bench.server.requests.count == requests + number)
            }
        }
        #expect(bench.cache.diskStorage.entries.isEmpty)
        let file = try await bench.manager.retrieveData(
            with: url,
            options: [.acceptsTruncatedFiles, .processor(small), .waitForCache],
            as: .webp()
        )
        #expect(file.format == .WebP)
        #expect(bench.cache.diskStorage.entries.isEmpty)
    }

    @Test func `loads of one file do not share the image with those who want all of it`()
        async throws
    {
        async let accepting = load([.acceptsTruncatedFiles])
        async let strict = try? load([])
        let (some, all) = (try await accepting, await strict)
        #expect(some.isTruncated)
        #expect(all == nil)
    }

    @Test func `a whole file is not marked, and cached`() async throws {
        let file = TestImage.jpeg(width: 200, height: 160)
        bench.server.route("/half.jpg", .body(file, type: "image/jpeg"))
        let result = try await load([.acceptsTruncatedFiles])
        #expect(!result.isTruncated)
        #expect(try await load([]).cacheType == .memory)
    }

    @Test func `GIF-11: a truncated GIF is loaded where its first frame is enough`() async throws {
        let gif = TestImage.gif
        let cut = Data(gif.dropLast(10))
        bench.server.route("/half.jpg", .body(cut, type: "image/gif"))
        await #expect(throws: KingfisherError.self) { try await load([]) }
        let result = try await load([.onlyLoadFirstFrame])
        #expect(result.image.bitmap == KFCrossPlatformImage(data: gif)?.bitmap)
        #expect(!result.isTruncated)
        // The entry of the first frame is no animation.
        bench.cache.clearMemoryCache()
        await #expect(throws: KingfisherError.self) { try await load([]) }
        bench.server.route("/half.jpg", .body(gif, type: "image/gif"))
        #expect(try await load([]).image.kf.frameSource?.frameCount == 3)
    }

    @Test(.enabled(if: WorkerBench.isPossible))
    func `a worker process accepts a truncated file only if it is asked to`() async throws {
        ProcessIsolation.useProgram(at: WorkerBench.program.path)
        await #expect(throws: KingfisherError.self) { try await load([.isolated]) }
        for processor in [DefaultImageProcessor.default, small] as [any ImageProcessor] {
            let result = try await load([
                .isolated, .acceptsTruncatedFiles, .processor(processor),
            ])
            #expect(result.isTruncated)
            #expect(result.cacheType == .none)
            #expect(try endsGrey(result.image))
        }
        #expect(bench.cache.diskStorage.entries.isEmpty)
    }
}
