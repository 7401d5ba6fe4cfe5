import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Animations made of spans of videos.
@Suite(.enabled(if: FilmBench.hasFFmpeg), .serialized, .timeLimit(.minutes(5)))
struct FilmClipTests {
    private static func data(
        _ url: URL,
        _ start: TimeInterval,
        _ end: TimeInterval,
        _ rate: Double,
        format: ImageFormat = .WebP,
        maximumSize: CGSize? = nil,
        on pool: WorkerPool
    ) async throws -> Data {
        var provider = VideoFrameDataProvider(
            url: url,
            at: .clip(from: start, to: end, framesPerSecond: rate, format: format),
            maximumSize: maximumSize
        )
        provider.pool = pool
        return try await provider.data()
    }

    @Test func `VID-13: a clip has the frames of its times, and repeats forever`() async throws {
        let pool = FilmBench.pool()
        let folder = try await FilmBench.folder()
        for name in ["h264.mp4", "vp9.webm"] {
            let url = folder.file(name)
            let file = try await Self.data(url, 0.5, 1.5, 12, on: pool)
            #expect(file.kf.imageFormat == .WebP)
            let frames = try EncodedFrameSource(file, scale: 1)
            #expect(frames.frameCount == 12)
            #expect(frames.loopCount == 0)
            #expect(abs((0..<12).reduce(0) { $0 + frames.duration(at: $1) } - 1) < 0.01)
            for index in [0, 5, 11] {
                let made = try #require(frames.frame(at: index)?.bitmap)
                let time = 0.5 + Double(index) / 12
                var ratios: [Double] = []
                for time in [time, time - 0.2, time + 0.2] {
                    let frame = try await FilmBench.bitmap(url, at: .exact(time), on: pool)
                    let bytes = FilmBench.bytes(of: frame)
                    ratios.append(try #require(FilmBench.ratio(made, bytes)))
                }
                // Encoded with losses, which colours at edges show most.
                #expect(ratios[0] > 22, "\(name) \(index): \(ratios) dB")
                #expect(ratios[0] > ratios[1] + 2 && ratios[0] > ratios[2] + 2, "\(ratios)")
            }
        }
        let box = CGSize(width: 40, height: 40)
        let film = folder.file("h264.mp4")
        let small = try await Self.data(film, 0, 2, 2, maximumSize: box, on: pool)
        let image = try #require(KFCrossPlatformImage(data: small))
        #expect(image.pixelWidth == 40 && image.pixelHeight == 30)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(arguments: [ImageFormat.AVIF, .GIF])
    func `VID-13: a clip is of the format that is asked for`(format: ImageFormat) async throws {
        let pool = FilmBench.pool()
        let url = try await FilmBench.folder().file("h264.mp4")
        let file = try await Self.data(url, 0.5, 1.5, 10, format: format, on: pool)
        #expect(file.kf.imageFormat == format)
        let frames = try EncodedFrameSource(file, scale: 1)
        #expect(frames.frameCount == 10)
        #expect(frames.loopCount == 0)
        for index in 0..<10 {
            #expect(abs(frames.duration(at: index) - 0.1) < 0.001)
            let made = try #require(frames.frame(at: index)?.bitmap)
            var ratios: [Double] = []
            for time in [0.5 + Double(index) / 10, Double(index) / 10 + 0.3] {
                let frame = try await FilmBench.bitmap(url, at: .exact(time), on: pool)
                ratios.append(try #require(FilmBench.ratio(made, FilmBench.bytes(of: frame))))
            }
            #expect(ratios[0] > 22 && ratios[0] > ratios[1] + 2, "\(index): \(ratios) dB")
        }
        #expect(try !Codecs.inspect(file).hasAlpha || format == .GIF)
        let keys = Set(
            [.WebP, .AVIF, .GIF].map {
                VideoFrameDataProvider(
                    url: url,
                    at: .clip(from: 0, to: 1, framesPerSecond: 5, format: $0)
                ).cacheKey
            }
        )
        #expect(keys.count == 3)
        await #expect(throws: DocumentError.unusableClip(.stillFormat)) {
            try await Self.data(url, 0, 1, 5, format: .JPEG, on: pool)
        }
        pool.stop()
    }

    @Test(arguments: [
        (1.0, 1.0, 12.0, DocumentError.ClipFault.empty), (1, 0.5, 12, .empty), (-1, 1, 12, .empty),
        (0, 1, 0, .empty), (0, 1, .nan, .empty), (0, .nan, 1, .empty), (0, .infinity, 1, .empty),
        (0, 2.5, 12, .outside(duration: 2)), (30, 31, 12, .outside(duration: 2)),
        (0, 2, 200, .tooManyFrames),
    ])
    func `VID-13: a span that cannot be a clip is refused`(
        start: Double,
        end: Double,
        rate: Double,
        fault: DocumentError.ClipFault
    ) async throws {
        let pool = FilmBench.pool()
        let film = try await FilmBench.folder().file("mjpeg.avi")
        await #expect(throws: DocumentError.unusableClip(fault)) {
            try await Self.data(film, start, end, rate, on: pool)
        }
        #expect(DocumentError.unusableClip(fault).errorDescription?.hasPrefix("The clip ") == true)
        pool.stop()
    }

    @Test func `VID-13: a long or large clip is refused before it is decoded`() async throws {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        try await FilmBench.run(
            """
            -f lavfi -i color=red:s=64x64:r=1:d=30 \
            -f lavfi -i color=red:s=1920x1080:r=2:d=3 \
            -map 0 -c:v libx264 -preset ultrafast long.mp4 \
            -map 1 -c:v libx264 -preset ultrafast large.mp4
            """,
            in: folder
        )
        await #expect(throws: DocumentError.unusableClip(.tooLong)) {
            try await Self.data(folder.file("long.mp4"), 2, 12.1, 1, on: pool)
        }
        await #expect(throws: DocumentError.unusableClip(.tooManyPixels)) {
            try await Self.data(folder.file("large.mp4"), 0, 3, 30, on: pool)
        }
        pool.stop()
    }

    @Test func `VID-13: a damaged frame and a cancelled load end a clip`() async throws {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        let url = try await FilmBench.folder().file("h264.mp4")
        var film = try Data(contentsOf: url)
        let place = try #require(film.range(of: Data("mdat".utf8))).upperBound
        let end = try #require(film.range(of: Data("moov".utf8))).lowerBound - 4
        film.resetBytes(in: place..<end)
        try film.write(to: folder.file("damaged.mp4"))
        await #expect(throws: DocumentError.self) {
            try await Self.data(folder.file("damaged.mp4"), 0, 1, 12, on: pool)
        }
        let clip = Task { try await Self.data(url, 0, 2, 100, on: pool) }
        clip.cancel()
        await #expect(throws: CancellationError.self) { try await clip.value }
        pool.stop()
    }

    @Test func `VID-13: a clip goes through the caches as an animation`() async throws {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        var provider = VideoFrameDataProvider(
            url: try await FilmBench.folder().file("h264.mp4"),
            at: .clip(from: 0, to: 1, framesPerSecond: 5)
        )
        provider.pool = pool
        let first = try await bench.manager.retrieveImage(
            with: .provider(provider),
            options: [.waitForCache]
        )
        #expect(first.image.kf.imageFrameCount == 5)
        bench.cache.clearMemoryCache()
        let second = try await bench.manager.retrieveImage(with: .provider(provider))
        #expect(second.cacheType == .disk)
        #expect(second.image.kf.imageFrameCount == 5)
        pool.stop()
    }
}
