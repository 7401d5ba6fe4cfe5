import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Several frames of one video.
@Suite(.enabled(if: FilmBench.hasFFmpeg), .serialized, .timeLimit(.minutes(5)))
struct FilmPassTests {
    private static func bitmap(
        _ provider: VideoFrameDataProvider,
        on pool: WorkerPool
    ) async throws -> Bitmap {
        var provider = provider
        provider.pool = pool
        return try #require(KFCrossPlatformImage(data: try await provider.data())?.bitmap)
    }

    @Test func `VID-11: frames of one pass equal those that are decoded alone`() async throws {
        let pool = FilmBench.pool()
        let folder = try await FilmBench.folder()
        let times = [0, 0.04, 0.3, 0.3, 0.5, 1.2, 0.2, 1.96, 7]
        for name in ["h264.mp4", "hevc.ts", "vp9.webm", "mpeg4.avi", "h264.mkv", "av1.mp4"] {
            let url = folder.file(name)
            let frames = VideoFrameDataProvider.frames(of: url, at: times)
            #expect(frames.map(\.position) == times.map { .exact($0) })
            for frame in frames {
                let alone = VideoFrameDataProvider(url: url, at: frame.position)
                #expect(frame.cacheKey == alone.cacheKey)
                let (one, other) = (
                    try await Self.bitmap(frame, on: pool), try await Self.bitmap(alone, on: pool)
                )
                #expect(FilmBench.areEqual(one, other), "\(name) \(frame.position)")
            }
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `VID-11: a file is opened once, and no longer for another one`() async throws {
        let pool = FilmBench.pool()
        let folder = try await FilmBench.folder()
        let film = try OpenFilm(path: folder.file("h264.mp4").path, isKept: true)
        let other = try OpenFilm(path: folder.file("vp8.webm").path, isKept: true)
        let reading = try DocumentReading(.films, pool)
        // The place of the film with a file that is no film: only one that is still open has a frame.
        let texts = try TemporaryDirectory()
        try Data("text".utf8).write(to: texts.file("text"))
        let mark = OpenFilm(
            name: film.name,
            memory: try OpenFilm(path: texts.file("text").path).memory,
            place: film.place
        )
        let request = FilmRequest(.exact(1))
        let first = try reading.bitmap(of: await reading.answer(to: request.message(for: film)))
        let second = try reading.bitmap(of: await reading.answer(to: request.message(for: mark)))
        #expect(FilmBench.areEqual(first, second))
        _ = try await reading.answer(to: request.message(for: other))
        await #expect(throws: DocumentError.self) {
            _ = try await reading.answer(to: request.message(for: mark))
        }
        pool.stop()
    }

    @Test func `VID-11: decoding goes on from frame to frame, and seeks over key frames`()
        async throws
    {
        // ffmpeg has made every tenth frame of 50 a key frame.
        let file = try Data(contentsOf: try await FilmBench.folder().file("h264.mp4"))
        let box = PixelSize(width: 8, height: 8)
        let (all, far) = try file.withUnsafeBytes { bytes in
            let film = try VideoFile(bytes)
            for index in 0..<50 {
                let frame = try film.frame(at: Double(index) / 25, isKey: false, fitting: box)
                #expect(abs(frame.time - Double(index) / 25) < 0.001)
            }
            let all = film.seekCount
            for time in [0.08, 0.6, 0.64, 1.4] {
                _ = try film.frame(at: time, isKey: false, fitting: box)
            }
            return (all, film.seekCount - all)
        }
        #expect(all == 5)
        #expect(far == 3)
    }

    @Test func `VID-11: a missing part is named, and nothing after it is decoded`() async throws {
        let url = try await FilmBench.folder().file("h264.mp4")
        let file = try Data(contentsOf: url)
        let film = try OpenFilm(path: url.path)
        func seconds(_ parts: [Range<Int>]) throws(DocumentFault) -> Double {
            let opened = file.withUnsafeBytes { bytes in
                Result { () throws(DocumentFault) in
                    try VideoFile(
                        descriptor: film.memory.descriptor,
                        byteCount: file.count,
                        parts: parts,
                        head: bytes
                    )
                }
            }
            return try opened.get().frame(at: 1, isKey: false, fitting: nil).time
        }
        #expect(try seconds([0..<file.count]) == 1)
        #expect(throws: DocumentFault.missing(offset: 20)) { try seconds([0..<20]) }
        var parts = [0..<1000]
        // With each byte that is missing, until there is nothing more to ask for.
        for _ in 0..<1000 {
            do throws(DocumentFault) {
                #expect(try seconds(parts) == 1)
                #expect(parts.count > 1)
                return
            } catch {
                guard case .missing(let offset) = error else { throw error }
                #expect(!parts.contains { $0.contains(offset) })
                parts.append(offset..<min(file.count, offset + 1000))
            }
        }
        Issue.record("it never ends")
    }

    @Test func `VID-4: of an interlaced frame every second line is taken`() async throws {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        // White lines of one moment between black ones of the other.
        let lines = "color=gray:s=160x120:r=25:d=0.2,geq=lum=235-219*mod(Y\\,2):cb=128:cr=128"
        let flags = "-flags +ilme+ildct -color_range tv"
        try await FilmBench.run(
            """
            -f lavfi -i \(lines) -vf setfield=tff -c:v mpeg4 -q:v 1 \(flags) mpeg4.avi \
            -vf setfield=tff -c:v libx264 -preset ultrafast -qp 4 \(flags) h264.mp4 \
            -c:v mpeg4 -q:v 1 -color_range tv whole.avi
            """,
            in: folder
        )
        for (name, darkest) in [("mpeg4.avi", 225), ("h264.mp4", 225), ("whole.avi", 0)] {
            let frame = try await FilmBench.bitmap(folder.file(name), at: 0.08, on: pool)
            #expect(frame.size == PixelSize(width: 160, height: 120), "\(name)")
            let least = FilmBench.bytes(of: frame).min() ?? 0
            // Both moments are in a frame that is not interlaced.
            #expect(darkest == 0 ? least < 60 : least >= darkest, "\(name): \(least)")
        }
        pool.stop()
    }
}
