import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Whatever a video contains, it costs at most its own image.
@Suite(.enabled(if: FilmBench.hasFFmpeg), .serialized, .timeLimit(.minutes(5)))
struct HostileFilmTests {
    private static func outcome(
        _ file: Data,
        at position: VideoFramePosition = 1,
        on pool: WorkerPool
    ) async -> DocumentError? {
        var provider = VideoFrameDataProvider(data: file, at: position, cacheKey: "hostile")
        provider.pool = pool
        do {
            _ = try await provider.data()
            return nil
        } catch {
            return error as? DocumentError ?? .unreadable("another error: \(error)")
        }
    }

    @Test func `VID-8: damaged films fail or have a frame, and the next has one`() async throws {
        let pool = FilmBench.pool(time: .seconds(5))
        let folder = try await FilmBench.folder()
        let files = try FilmBench.names.map { [UInt8](try Data(contentsOf: folder.file($0))) }
        for seed in FuzzSeeds(usually: 120) {
            var random = SplitMix(seed: seed)
            let round = Int(truncatingIfNeeded: seed & 0xFFFF)
            var bytes = files[round % files.count]
            // The index of a container is at its beginning or at its end.
            let places = [
                0..<min(2000, bytes.count), 0..<bytes.count, bytes.count / 2..<bytes.count,
            ]
            for _ in 0...(round % 31) {
                let place = Int.random(in: places[round % 3], using: &random)
                bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            if round % 4 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
            let position: VideoFramePosition = round % 5 == 0 ? .representative : 1.5
            switch await Self.outcome(Data(bytes), at: position, on: pool) {
            case nil, .unreadable, .tooLarge, .outOfMemory: break
            case .isolationFailed(let failure): print("film of seed \(seed): \(failure)")
            case let other?: Issue.record("\(other)")
            }
        }
        #expect(await Self.outcome(Data(files[0]), on: pool) == nil)
        pool.stop()
    }

    @Test func `VID-8: absurd sizes and counts are refused in time`() async throws {
        let pool = FilmBench.pool(time: .seconds(5))
        let film = try Data(contentsOf: try await FilmBench.folder().file("h264.mp4"))
        var films: [String: Data] = [
            "nothing": Data(),
            "text": Data("0000ftypisom".utf8),
            "long": Data("0000ftypisom".utf8) + Data(count: 4 << 20),
            "zeros": Data([0x1A, 0x45, 0xDF, 0xA3]) + Data(count: 1 << 20),
            "packets": Data((0..<4096).flatMap { _ in [0x47] + [UInt8](repeating: 0, count: 187) }),
        ]
        // Counts and sizes of the tables and of the track.
        for box in ["stsz", "stts", "stsc", "stco", "tkhd", "mdhd", "elst", "avcC"] {
            var damaged = film
            let place = try #require(film.range(of: Data(box.utf8))).upperBound
            damaged.replaceSubrange(place..<place + 16, with: Data(repeating: 0x7F, count: 16))
            films[box] = damaged
        }
        for (name, film) in films {
            switch await Self.outcome(film, on: pool) {
            case nil, .unreadable, .tooLarge, .outOfMemory: break
            case let other?: Issue.record("\(name): \(other)")
            }
        }
        #expect(await Self.outcome(film, on: pool) == nil)
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test(arguments: DocumentBench.takenOver)
    func `VID-8: a worker for films that was taken over can do no more than another`(
        fault: String
    ) async throws {
        let pool = FilmBench.pool(time: .seconds(2))
        let error = await Self.outcome(WorkerBench.file(fault), on: pool)
        DocumentBench.expectEnd(of: error, by: fault)
        pool.stop()
    }

    /// The call fails, rather than ending the worker, and nothing was opened.
    @Test func `VID-8: a worker for films opens no file`() async throws {
        let pool = FilmBench.pool()
        for fault in ["openFile", "opens"] {
            let error = await Self.outcome(WorkerBench.file(fault), on: pool)
            #expect(error == .unreadable("it is no video of a known kind, or a damaged one"))
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `VID-8: a file that shrinks while it is read costs its own load`() async throws {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        let film = try Data(contentsOf: try await FilmBench.folder().file("h264.mp4"))
        let url = folder.file("film.mp4")
        try film.write(to: url)
        let open = try OpenFilm(path: url.path)
        try FileHandle(forWritingTo: url).truncate(atOffset: 100)
        let reading = try DocumentReading(.films, pool)
        let request = FilmRequest(.exact(1)).message(for: open)
        await #expect(throws: DocumentError.self) { _ = try await reading.answer(to: request) }
        #expect(await Self.outcome(film, on: pool) == nil)
        pool.stop()
    }

    @Test func `VID-8: a pipe and a folder are refused`() async throws {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        for url in [pipe, folder.url] {
            await #expect(throws: LocalFileError.notRegular(path: url.path)) {
                try await FilmBench.bitmap(url, at: 1, on: pool)
            }
        }
        pool.stop()
    }
}

/// The errors of videos, without FFmpeg.
struct VideoErrorTests {
    @Test func `VID-10: the packages of missing libraries are named`() throws {
        let fault = DocumentFault.missingLibrary("FFmpeg", package: "libavformat59")
        guard case .fault(let received) = try DocumentAnswer(DocumentAnswer.fault(fault).message())
        else {
            Issue.record("the answer is no fault")
            return
        }
        #expect(
            DocumentError(received, page: 1).localizedDescription
                == "The library FFmpeg is not installed. Install the package libavformat59."
        )
    }

    @Test func `VID-8: answers with absurd properties are refused`() throws {
        let facts = VideoFile.Facts(
            size: PixelSize(width: 4, height: 3),
            orientation: .left,
            duration: 2,
            frameRate: nil,
            hasVideo: true,
            hasCover: false,
            codec: "h264",
            soundCodec: "aac"
        )
        let message = DocumentAnswer.film(facts).message()
        guard case .film(let received) = try DocumentAnswer(message) else {
            Issue.record("the answer has no properties")
            return
        }
        #expect(received == facts)
        for place in [8, 24] {
            var damaged = message
            for index in place..<place + 8 { damaged.bytes[index] = 0xFF }
            #expect(throws: WireError.self) { try DocumentAnswer(damaged) }
        }
    }

    @Test(arguments: [(16.0 / 11, 233, 90), (0.5, 160, 180), (0, 160, 90), (1e9, 160, 90)])
    func `VID-4: the longer side of a pixel stays as it is`(ratio: Double, width: Int, height: Int)
    {
        #expect(
            VideoFile.squared(160, 90, ratio) == PixelSize(width: width, height: height)
        )
    }
}
