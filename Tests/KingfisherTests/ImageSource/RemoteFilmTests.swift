import Foundation
import KFPixels
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// Frames of videos on a server.
@Suite(.enabled(if: FilmBench.hasFFmpeg), .serialized, .timeLimit(.minutes(5)))
struct RemoteFilmTests {
    /// A film on a server that sends ranges; a gap of zeros may come before its end.
    private final class Film: Sendable {
        private let start: Data
        private let gap: Int
        private let end: Data
        private let tags: [String]
        private let sent = Mutex((requests: 0, bytes: 0))

        /// - Parameters:
        ///   - file: The film.
        ///   - gap: The bytes of a box before its index, which is at its end.
        ///   - tags: Of the first and the further answers.
        /// - Throws: If the file has no index.
        init(_ file: Data, gap: Int = 0, tags: [String] = ["\"1\""]) throws {
            self.tags = tags
            guard gap > 0 else {
                (start, self.gap, end) = (file, 0, Data())
                return
            }
            let index = try #require(file.range(of: Data("moov".utf8))).lowerBound - 4
            var box = Data([0, 0, 0, 1] + Array("free".utf8))
            withUnsafeBytes(of: UInt64(gap + 16).bigEndian) { box.append(contentsOf: $0) }
            (start, self.gap, end) = (file[..<index] + box, gap, Data(file[index...]))
        }

        var count: Int { start.count + gap + end.count }
        var requests: Int { sent.withLock { $0.requests } }
        var bytes: Int { sent.withLock { $0.bytes } }

        private func data(_ range: Range<Int>) -> Data {
            var data = Data(count: range.count)
            for (part, offset) in [(start, 0), (end, start.count + gap)] {
                let common = range.clamped(to: offset..<offset + part.count)
                guard !common.isEmpty else { continue }
                let place = common.lowerBound - range.lowerBound
                let bytes = part[
                    part.startIndex + common.lowerBound - offset..<part.startIndex
                        + common.upperBound - offset
                ]
                data.replaceSubrange(place..<place + common.count, with: bytes)
            }
            return data
        }

        func reply(to request: ServerRequest) -> ServerReply {
            let number = sent.withLock { sent in
                sent.requests += 1
                return sent.requests
            }
            let tag = tags[min(number, tags.count) - 1]
            let isSame = request.value(for: "If-Range").map { $0 == tag } ?? true
            guard isSame, let range = request.value(for: "Range")?.dropFirst("bytes=".count) else {
                return .body(data(0..<count), fields: [("ETag", tag)])
            }
            let ends = range.split(separator: "-").compactMap { Int($0) }
            let last = min(ends[1], count - 1)
            let body = data(ends[0]..<last + 1)
            sent.withLock { $0.bytes += body.count }
            let place = "bytes \(ends[0])-\(last)/\(count)"
            return .body(body, status: 206, fields: [("Content-Range", place), ("ETag", tag)])
        }
    }

    private static func image(
        _ url: URL,
        at position: VideoFramePosition = 1.2,
        in bench: TestBench,
        on pool: WorkerPool,
        options: KingfisherOptionsInfo = []
    ) async throws -> Bitmap {
        var provider = VideoFrameDataProvider(url: url, at: position)
        provider.pool = pool
        let result = try await bench.manager.retrieveImage(
            with: .provider(provider),
            options: options
        )
        return try #require(result.image.bitmap)
    }

    /// The reason why a frame was not made.
    private static func reason(
        _ body: () async throws -> Bitmap
    ) async -> (any Error)? {
        do {
            _ = try await body()
            return nil
        } catch {
            guard
                case .imageSettingError(.dataProviderError(_, let reason)) =
                    error as? KingfisherError
            else { return error }
            return reason
        }
    }

    @Test func `VID-12: a film of two gigabytes costs a few megabytes`() async throws {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        let folder = try await FilmBench.folder()
        for name in ["h264.mp4", "hevc.mp4", "h264.mov"] {
            let file = try Data(contentsOf: folder.file(name))
            let film = try Film(file, gap: 2 << 30)
            bench.server.route("/\(name)") { film.reply(to: $0) }
            let url = bench.server.url("/\(name)")
            let frame = try await Self.image(url, in: bench, on: pool)
            let expected = try await FilmBench.bitmap(folder.file(name), at: 1.2, on: pool)
            #expect(FilmBench.areEqual(frame, expected), "\(name)")
            #expect(film.bytes <= 1 << 20, "\(name): \(film.bytes) bytes")
            #expect(film.requests <= 6, "\(name): \(film.requests) requests")
            // From the cache.
            let count = film.requests
            _ = try await Self.image(url, in: bench, on: pool)
            #expect(film.requests == count)
            _ = try await Self.image(url, at: 0.2, in: bench, on: pool)
            #expect(film.requests > count)
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `VID-12: parts of every container are read, in few requests`() async throws {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        let folder = try await FilmBench.folder()
        let limits = RemoteFilm.Limits(partBytes: 4 << 10, maxPartBytes: 64 << 10)
        let context = ProviderContext(
            downloader: bench.downloader,
            options: KingfisherParsedOptionsInfo(nil)
        )
        let reading = try DocumentReading(.films, pool)
        for name in ["h264.mp4", "h264.mkv", "h264.ts", "vp9.webm", "mpeg4.avi"] {
            let film = try Film(Data(contentsOf: folder.file(name)))
            bench.server.route("/\(name)") { film.reply(to: $0) }
            let remote = RemoteFilm(bench.server.url("/\(name)"), context, limits: limits)
            for time in [1.2, 0.2] {
                let answer = try await remote.answer(to: FilmRequest(.exact(time)), by: reading)
                let expected = try await FilmBench.bitmap(
                    folder.file(name),
                    at: .exact(time),
                    on: pool
                )
                #expect(FilmBench.areEqual(try reading.bitmap(of: answer), expected), "\(name)")
            }
            #expect(film.requests < 40, "\(name): \(film.requests) requests")
            #expect(film.bytes <= film.count, "\(name)")
        }
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `VID-12: several frames of one pass share the parts`() async throws {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        let film = try Film(Data(contentsOf: try await FilmBench.folder().file("h264.mp4")))
        bench.server.route("/film.mp4") { film.reply(to: $0) }
        let frames = VideoFrameDataProvider.frames(
            of: bench.server.url("/film.mp4"),
            at: [0.2, 0.6, 1.2]
        )
        for var frame in frames {
            frame.pool = pool
            _ = try await bench.manager.retrieveImage(with: .provider(frame))
        }
        #expect(film.bytes <= film.count)
        pool.stop()
    }

    @Test func `VID-12: a film that changes while it is read is an error`() async throws {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        let file = try Data(contentsOf: try await FilmBench.folder().file("h264.mp4"))
        let film = try Film(file, gap: 1 << 20, tags: ["\"1\"", "\"2\""])
        bench.server.route("/film.mp4") { film.reply(to: $0) }
        let error = await Self.reason {
            try await Self.image(bench.server.url("/film.mp4"), in: bench, on: pool)
        }
        #expect(
            error as? DocumentError
                == .unreadable(
                    "the answer of its server is of no use: the file has changed meanwhile"
                )
        )
        pool.stop()
    }

    @Test func `VID-12: a server without ranges sends the whole film, within the limit`()
        async throws
    {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        let folder = try await FilmBench.folder()
        let file = try Data(contentsOf: folder.file("h264.mp4"))
        bench.server.route("/film.mp4", .body(file))
        let url = bench.server.url("/film.mp4")
        let frame = try await Self.image(url, in: bench, on: pool)
        let expected = try await FilmBench.bitmap(folder.file("h264.mp4"), at: 1.2, on: pool)
        #expect(FilmBench.areEqual(frame, expected))
        #expect(bench.server.requests.count == 1)
        bench.downloader.transferSettings.maxBodyBytes = file.count - 1
        let error = await Self.reason {
            try await Self.image(url, at: 0.2, in: bench, on: pool)
        }
        #expect(error is KingfisherError, "\(String(describing: error))")
        pool.stop()
    }

    @Test(arguments: ["bytes 1-9/20", "bytes 0-9/*", "bytes 0-9999999/99999999", "none"])
    func `VID-12: parts that were not asked for are refused`(range: String) async throws {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        bench.server.route(
            "/film.mp4",
            .body(Data(count: 10), status: 206, fields: [("Content-Range", range)])
        )
        let error = await Self.reason {
            try await Self.image(bench.server.url("/film.mp4"), in: bench, on: pool)
        }
        #expect(error is DocumentError, "\(String(describing: error))")
        pool.stop()
    }

    @Test func `VID-12: an endless film costs a bounded number of requests and bytes`()
        async throws
    {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        let requests = Mutex((count: 0, bytes: 0))
        // Matroska without anything that ends: libavformat looks for the next element.
        let start = Data([0x1A, 0x45, 0xDF, 0xA3, 0x01, 0, 0, 0, 0, 0, 0, 0])
        bench.server.route("/film.mkv") { request in
            let range = request.value(for: "Range")?.dropFirst("bytes=".count) ?? "0-9"
            let ends = range.split(separator: "-").compactMap { Int($0) }
            var data = Data(repeating: 0x42, count: ends[1] - ends[0] + 1)
            if ends[0] == 0 { data.replaceSubrange(0..<start.count, with: start) }
            requests.withLock { $0 = ($0.count + 1, $0.bytes + data.count) }
            let place = "bytes \(ends[0])-\(ends[1])/\(1 << 50)"
            return .body(data, status: 206, fields: [("Content-Range", place)])
        }
        let error = await Self.reason {
            try await Self.image(bench.server.url("/film.mkv"), in: bench, on: pool)
        }
        #expect(error is DocumentError, "\(String(describing: error))")
        let (count, bytes) = requests.withLock { $0 }
        #expect(count <= 64 && bytes <= 68 << 20, "\(count) requests, \(bytes) bytes")
        pool.stop()
    }

    @Test func `VID-12: the original's provider reads films on servers, too`() async throws {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        let folder = try await FilmBench.folder()
        let film = try Film(Data(contentsOf: folder.file("h264.mp4")), gap: 1 << 30)
        bench.server.route("/film.mp4") { film.reply(to: $0) }
        let url = bench.server.url("/film.mp4")
        var asset = AVAssetImageDataProvider(assetURL: url, seconds: 1.2)
        #expect(asset.cacheKey == VideoFrameDataProvider(url: url, at: 1.2).cacheKey)
        asset.frame.pool = pool
        let result = try await bench.manager.retrieveImage(with: .provider(asset))
        let expected = try await FilmBench.bitmap(folder.file("h264.mp4"), at: 1.2, on: pool)
        #expect(FilmBench.areEqual(try #require(result.image.bitmap), expected))
        pool.stop()
    }

    @Test func `VID-12: a film on a server follows the rules of the load`() async throws {
        let (pool, bench) = (FilmBench.pool(), try TestBench())
        let file = try Data(contentsOf: try await FilmBench.folder().file("h264.mp4"))
        bench.server.route("/film.mp4", .body(file))
        let url = bench.server.url("/film.mp4")
        let modifier = AnyModifier { request in
            var request = request
            request.setValue("secret", forHTTPHeaderField: "Authorization")
            return request
        }
        let frame = try await Self.image(
            url,
            in: bench,
            on: pool,
            options: [.requestModifier(modifier)]
        )
        #expect(frame.size == PixelSize(width: 160, height: 120))
        let sent = try #require(bench.server.requests.first)
        #expect(sent.value(for: "Authorization") == "secret")
        #expect(sent.value(for: "Range") == "bytes=0-262143")
        #expect(sent.value(for: "Accept-Encoding") == "identity")
        let refused = await Self.reason {
            try await Self.image(
                url,
                in: bench,
                on: pool,
                options: [.allowedSources(.files), .forceRefresh]
            )
        }
        #expect((refused as? SourcePolicy.Refusal)?.kind == .network)
        bench.downloader.transferSettings.addressPolicy = .publicOnly
        let address = await Self.reason {
            try await Self.image(url, in: bench, on: pool, options: [.forceRefresh])
        }
        #expect(address is KingfisherError, "\(String(describing: address))")
        #expect(bench.server.requests.count == 1)
        // Outside of a load nothing says how to download.
        await #expect(throws: DocumentError.self) {
            try await VideoFrameDataProvider(url: url, at: 1).data()
        }
        pool.stop()
    }
}
