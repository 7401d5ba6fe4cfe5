import Foundation
import KFCodecs
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Frames of videos, decoded in workers.
@Suite(.enabled(if: FilmBench.hasFFmpeg), .serialized, .timeLimit(.minutes(5)))
struct VideoFrameTests {
    /// Compares frames with those of ffmpeg.
    private static func compare(
        _ files: [String],
        at times: [Double],
        in folder: TemporaryDirectory,
        on pool: WorkerPool
    ) async throws {
        for time in times {
            let expected = try await FilmBench.frames(files, at: time, in: folder)
            for (file, data) in zip(files, expected) {
                let bitmap = try await FilmBench.bitmap(
                    folder.file(file),
                    at: .exact(time),
                    on: pool
                )
                let ratio = try #require(
                    FilmBench.ratio(bitmap, data),
                    "\(file) has \(bitmap.size) pixels, and ffmpeg \(data.count) bytes"
                )
                #expect(ratio >= 45, "\(file) at \(time): \(ratio) dB")
            }
        }
    }

    @Test func `VID-1: frames of every container and codec equal those of ffmpeg`() async throws {
        let pool = FilmBench.pool()
        try await Self.compare(
            FilmBench.names,
            at: [0, 1.24],
            in: FilmBench.folder(),
            on: pool
        )
        #expect(pool.failureCount == 0)
        pool.stop()
    }

    @Test func `VID-2: a time means the frame that is displayed then`() async throws {
        let pool = FilmBench.pool()
        let folder = try await FilmBench.folder()
        for name in ["h264.mp4", "hevc.ts", "vp9.webm"] {
            let url = folder.file(name)
            func frame(_ position: VideoFramePosition) async throws -> Bitmap {
                try await FilmBench.bitmap(url, at: position, on: pool)
            }
            let (first, eighth) = (try await frame(0), try await frame(0.28))
            let last = try await frame(1.96)
            #expect(!FilmBench.areEqual(first, eighth))
            #expect(FilmBench.areEqual(try await frame(0.3), eighth), "\(name)")
            #expect(FilmBench.areEqual(try await frame(0.3199), eighth) == false, "\(name)")
            #expect(FilmBench.areEqual(try await frame(-7), first), "\(name)")
            #expect(FilmBench.areEqual(try await frame(.exact(.nan)), first), "\(name)")
            for time in [2, 100, 1e300, .infinity] {
                #expect(FilmBench.areEqual(try await frame(.exact(time)), last), "\(name) \(time)")
            }
            let key = try await frame(.keyFrame(1.1))
            #expect(FilmBench.areEqual(key, try await frame(0.8)), "\(name)")
        }
        pool.stop()
    }

    @Test func `VID-2: times count from the beginning, also of films that begin later or vary`()
        async throws
    {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        let source = try await FilmBench.folder().file("h264.mp4").path
        try await FilmBench.run(
            """
            -i \(source) -map 0 -c copy -output_ts_offset 5 late.mkv \
            -map 0:v -c copy -output_ts_offset 5 late.mp4 \
            -map 0:v -vf select=not(mod(n\\,3))+gt(n\\,30) -vsync vfr -g 10 vary.mp4 \
            -map 0:v -c copy -output_ts_offset -1 -avoid_negative_ts disabled early.mkv \
            -map 0:v -c copy -output_ts_offset -1 -avoid_negative_ts disabled early.mp4 \
            -map 0:v -c copy -output_ts_offset -1 -avoid_negative_ts disabled early.ts
            """,
            in: folder
        )
        let files = ["late.mkv", "late.mp4", "vary.mp4", "early.mkv", "early.mp4"]
        try await Self.compare(files, at: [0.48, 0.6], in: folder, on: pool)
        // ffmpeg skips the beginning of this one.
        let early = try await FilmBench.bitmap(folder.file("early.ts"), at: 0.6, on: pool)
        let original = URL(fileURLWithPath: source)
        #expect(FilmBench.areEqual(early, try await FilmBench.bitmap(original, at: 0.6, on: pool)))
        // The frames of 0.48 and 0.6 have none between them.
        let frame = try await FilmBench.bitmap(folder.file("vary.mp4"), at: 0.48, on: pool)
        let between = try await FilmBench.bitmap(folder.file("vary.mp4"), at: 0.57, on: pool)
        #expect(FilmBench.areEqual(frame, between))
        pool.stop()
    }

    @Test func `VID-3: frames stand upright`() async throws {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        let film = try Data(contentsOf: try await FilmBench.folder().file("h264.mp4"))
        let place = try #require(film.range(of: Data("tkhd".utf8))).upperBound + 40
        // The first two numbers of the first two rows of the matrix, for each orientation.
        let matrices = [
            [1, 0, 0, 1], [-1, 0, 0, 1], [-1, 0, 0, -1], [1, 0, 0, -1],
            [0, 1, 1, 0], [0, 1, -1, 0], [0, -1, -1, 0], [0, -1, 1, 0],
        ]
        for (index, matrix) in matrices.enumerated() {
            var turned = film
            for (offset, number) in zip([0, 4, 12, 16], matrix) {
                withUnsafeBytes(of: Int32(number << 16).bigEndian) {
                    turned.replaceSubrange(place + offset..<place + offset + 4, with: $0)
                }
            }
            try turned.write(to: folder.file("\(index + 1).mp4"))
        }
        let files = (1...8).map { "\($0).mp4" }
        try await Self.compare(files, at: [0.48], in: folder, on: pool)
        let info = try await VideoInfo(DocumentBytes(url: folder.file("6.mp4"), data: nil), pool)
        #expect(info.size == CGSize(width: 120, height: 160))
        #expect(info.rotation == 90 && !info.isMirrored)
        pool.stop()
    }

    @Test func `VID-4: ranges and matrices equal ffmpeg's, and pixels become square`() async throws
    {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        let source = try await FilmBench.folder().file("mjpeg.avi").path
        let usual =
            "-frames:v 3 -c:v libx264 -preset ultrafast -color_primaries bt709 -color_trc bt709"
        var outputs: [String] = []
        var files: [String] = []
        for (range, long) in [("tv", "limited"), ("pc", "full")] {
            for (matrix, own) in [
                ("bt709", "bt709"), ("smpte170m", "bt601"), ("bt2020nc", "bt2020"),
            ] {
                files.append("\(matrix)-\(range).mp4")
                outputs.append(
                    """
                    -map 0 -vf scale=out_range=\(long):out_color_matrix=\(own),format=yuv420p \
                    \(usual) -color_range \(range) -colorspace \(matrix) \(matrix)-\(range).mp4
                    """
                )
            }
        }
        outputs.append("-map 0 -vf setsar=2 -frames:v 3 wide.mp4")
        outputs.append("-map 0 -vf setsar=1/2 -frames:v 3 -c:v libvpx-vp9 high.webm")
        try await FilmBench.run("-i \(source) " + outputs.joined(separator: " "), in: folder)
        try await Self.compare(files, at: [0], in: folder, on: pool)
        let wide = try await FilmBench.bitmap(folder.file("wide.mp4"), at: 0, on: pool)
        #expect(wide.size == PixelSize(width: 320, height: 120))
        let high = try await FilmBench.bitmap(
            folder.file("high.webm"),
            at: 0,
            maximumSize: CGSize(width: 60, height: 60),
            on: pool
        )
        #expect(high.size == PixelSize(width: 40, height: 60))
        pool.stop()
    }

    @Test func `VID-4: colours of wide and high dynamic range films become those of sRGB`()
        async throws
    {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        // FFmpeg before 7 takes them from the options of the encoder, later ones from the frames.
        func colors(_ transfer: String) -> String {
            """
            -vf setparams=color_primaries=bt2020:color_trc=\(transfer):colorspace=bt2020nc:range=tv \
            -color_primaries bt2020 -color_trc \(transfer) -colorspace bt2020nc -color_range tv
            """
        }
        try await FilmBench.run(
            """
            -f lavfi -i color=0x808000:s=64x64:d=0.1,format=yuv420p10le \
            -map 0 -c:v libx265 -x265-params log-level=none:pools=1 \
            \(colors("bt709")) wide.mp4 \
            -map 0 -c:v libx265 -x265-params log-level=none:pools=1 \
            \(colors("smpte2084")) pq.mp4
            """,
            in: folder
        )
        var found: [[UInt8]] = []
        for name in ["wide.mp4", "pq.mp4"] {
            let bitmap = try await FilmBench.bitmap(folder.file(name), at: 0, on: pool)
            found.append(
                bitmap.withPixels { pixels, _ in Array(UnsafeBufferPointer(start: pixels, count: 3))
                }
            )
        }
        // A yellow of BT.2020 is outside of sRGB. The middle of PQ is about the white of a page.
        #expect(found[0][2] < 12, "\(found)")
        #expect(found[1][0] > 150, "\(found)")
        pool.stop()
    }

    @Test func `VID-5: a representative frame is neither black nor blurred`() async throws {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        try await FilmBench.run(
            """
            -f lavfi -i color=black:s=160x120:r=25:d=1 -f lavfi -i testsrc2=s=160x120:r=25:d=1 \
            -filter_complex [0][1]concat -g 5 dark.mp4 \
            -f lavfi -i color=black:s=160x120:r=25:d=1 -map 2 black.mp4
            """,
            in: folder
        )
        let frame = try await FilmBench.bitmap(
            folder.file("dark.mp4"),
            at: .representative,
            on: pool
        )
        #expect(RepresentativeFrame.Look(frame).isGood)
        // There is none, so that any will do.
        let black = try await FilmBench.bitmap(
            folder.file("black.mp4"),
            at: .representative,
            on: pool
        )
        #expect(!RepresentativeFrame.Look(black).isGood)
        pool.stop()
    }

    @Test func `VID-6: a sound file has its cover, and a film where it is preferred`() async throws
    {
        let pool = FilmBench.pool()
        let folder = try TemporaryDirectory()
        let source = try await FilmBench.folder().file("h264.mp4").path
        try await FilmBench.run(
            "-f lavfi -i color=0xFF0000:s=48x32:d=1,format=rgb24 -frames:v 1 cover.png",
            in: folder
        )
        let cover = "-map 1 -c:v copy -disposition:v:0 attached_pic"
        try await FilmBench.run(
            """
            -i \(source) -i cover.png -map 0:a -c:a copy \(cover) song.m4a \
            -map 0:a \(cover) song.flac -map 0:a -c:a libmp3lame \(cover) song.mp3 \
            -map 0:v -map 0:a -map 1 -c copy -disposition:v:1 attached_pic film.mp4 \
            -map 0:a -c:a copy silent.m4a
            """,
            in: folder
        )
        for name in ["song.m4a", "song.flac", "song.mp3"] {
            let image = try await FilmBench.bitmap(folder.file(name), at: 1, on: pool)
            #expect(image.size == PixelSize(width: 48, height: 32), "\(name)")
            let info = try await VideoInfo(DocumentBytes(url: folder.file(name), data: nil), pool)
            #expect(!info.hasVideo && info.hasCover && info.soundCodec != nil, "\(name)")
        }
        let film = folder.file("film.mp4")
        for (prefersCover, width) in [(true, 48), (false, 160)] {
            let image = try await FilmBench.bitmap(
                film,
                at: 1,
                prefersCover: prefersCover,
                on: pool
            )
            #expect(image.size.width == width)
        }
        await #expect(throws: DocumentError.self) {
            try await FilmBench.bitmap(folder.file("silent.m4a"), at: 1, on: pool)
        }
        pool.stop()
    }

    @Test func `VID-7: the properties of a film are read`() async throws {
        let pool = FilmBench.pool()
        let folder = try await FilmBench.folder()
        for name in ["h264.mp4", "hevc.ts", "vp9.webm", "av1.mkv", "mpeg4.avi"] {
            let url = folder.file(name)
            let info = try await VideoInfo(DocumentBytes(url: url, data: nil), pool)
            let inMemory = DocumentBytes(url: nil, data: try Data(contentsOf: url))
            #expect(try await VideoInfo(inMemory, pool) == info)
            #expect(info.size == CGSize(width: 160, height: 120), "\(name)")
            #expect(abs((info.duration ?? 0) - 2) < 0.1, "\(name)")
            #expect(info.frameRate == 25, "\(name)")
            #expect(info.codec == name.prefix { $0 != "." }, "\(name)")
            #expect(info.soundCodec == (name == "h264.mp4" ? "aac" : nil), "\(name)")
        }
        pool.stop()
    }

    @Test func `VID-1: containers are known by their first bytes, and images are none`()
        async throws
    {
        let folder = try await FilmBench.folder()
        for name in FilmBench.names {
            let head = try Data(contentsOf: folder.file(name)).prefix(VideoInfo.beginningByteCount)
            #expect(VideoInfo.isBeginning(ofVideo: Data([0]) + head) == false, "\(name)")
            #expect(VideoInfo.isBeginning(ofVideo: head), "\(name)")
            #expect(VideoInfo.isBeginning(ofVideo: (Data([0]) + head).dropFirst()), "\(name)")
        }
        let avif = Data([0, 0, 0, 24] + Array("ftypavif\0\0\0\0mif1avif".utf8))
        for other in [avif, Data(), Data("G".utf8), Data("RIFF    WEBPVP8 ".utf8)] {
            #expect(!VideoInfo.isBeginning(ofVideo: other))
        }
    }

    @Test func `VID-9: keys name the position, the size and the version of the file`() throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.mp4")
        try Data("one".utf8).write(to: file)
        let positions: [VideoFramePosition] = [2, 2.5, .keyFrame(2), .representative]
        var keys = positions.map { VideoFrameDataProvider(url: file, at: $0).cacheKey }
        let size = CGSize(width: 32, height: 32)
        keys.append(VideoFrameDataProvider(url: file, at: 2, maximumSize: size).cacheKey)
        keys.append(VideoFrameDataProvider(url: file, at: 2, prefersCover: true).cacheKey)
        #expect(AVAssetImageDataProvider(assetURL: file, seconds: 2).cacheKey == keys[0])
        try Data("second".utf8).write(to: file)
        keys.append(VideoFrameDataProvider(url: file, at: 2).cacheKey)
        #expect(Set(keys).count == keys.count)
    }

    @Test func `VID-9: a load goes through the caches, isolated or not`() async throws {
        ProcessIsolation.useProgram(at: WorkerBench.program.path)
        let bench = try TestBench()
        let film = try await FilmBench.folder().file("h264.mp4")
        let provider = AVAssetImageDataProvider(assetURL: film, seconds: 1)
        let shrinks = DownsamplingImageProcessor(size: CGSize(width: 80, height: 80))
        for further in [[], [KingfisherOptionsInfoItem.isolated]] {
            let result = try await bench.manager.retrieveImage(
                with: .provider(provider),
                options: further + [.processor(shrinks), .waitForCache]
            )
            #expect(result.image.pixelWidth == 80)
            #expect(result.cacheType == (further.isEmpty ? .none : .memory))
        }
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: .provider(provider),
                options: [.allowedSources(.remote), .forceRefresh]
            )
        }
        #expect(error?.errorDescription?.contains("Local files are not allowed") == true)
    }
}
