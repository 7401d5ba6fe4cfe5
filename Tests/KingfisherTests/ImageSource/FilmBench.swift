import Foundation
import KFPixels
import TestSupport
import Testing

@testable import Kingfisher

/// Videos that ffmpeg makes for the tests, once for each run: 160 × 120 pixels, 25 frames a second for
/// two seconds, and every tenth frame is a key frame.
enum FilmBench {
    static let ffmpeg = "/usr/bin/ffmpeg"

    /// Whether ffmpeg is installed; `Scripts/bootstrap.sh --tests` does it.
    static let hasFFmpeg =
        WorkerBench.isPossible && FileManager.default.isExecutableFile(atPath: ffmpeg)

    /// One worker for videos.
    static func pool(memory: Int = 1 << 30, time: Duration = .seconds(30)) -> WorkerPool {
        DocumentBench.pool(memory: memory, time: time, preparing: .films)
    }

    /// The videos of every codec and container.
    static let names = [
        "h264.mp4", "hevc.mp4", "vp8.webm", "vp9.webm", "av1.mp4", "mpeg4.avi", "mjpeg.avi",
        "h264.mkv", "h264.ts", "h264.mov", "hevc.mkv", "hevc.ts", "vp8.mkv", "vp9.mkv",
        "av1.webm", "av1.mkv", "mpeg4.mp4", "mpeg4.mkv", "mjpeg.mkv", "mjpeg.mov",
    ]

    private static let made = Task { () throws -> TemporaryDirectory in
        let folder = try TemporaryDirectory()
        try await run(encoding, in: folder)
        try await run(copying, in: folder)
        return folder
    }

    /// The folder of the videos.
    static func folder() async throws -> TemporaryDirectory { try await made.value }

    private static let encoding = """
        -f lavfi -i testsrc2=s=160x120:r=25:d=2,format=yuv420p -f lavfi -i sine=d=2 \
        -map 0 -map 1 \(color) -c:v libx264 -preset ultrafast -bf 2 -c:a aac h264.mp4 \
        -map 0 \(color) -c:v libx265 -preset ultrafast -x265-params log-level=none:pools=1 hevc.mp4 \
        -map 0 \(color) -c:v libvpx -deadline realtime -cpu-used 8 vp8.webm \
        -map 0 \(color) -c:v libvpx-vp9 -deadline realtime -cpu-used 8 vp9.webm \
        -map 0 \(color) -c:v libaom-av1 -usage realtime -cpu-used 8 av1.mp4 \
        -map 0 \(color) -c:v mpeg4 -q:v 2 mpeg4.avi \
        -map 0 -c:v mjpeg -q:v 2 -pix_fmt yuvj420p -color_range pc mjpeg.avi
        """

    private static let color =
        "-g 10 -color_range tv -colorspace bt709 -color_primaries bt709 -color_trc bt709"

    private static let copying = """
        -i h264.mp4 -i hevc.mp4 -i vp8.webm -i vp9.webm -i av1.mp4 -i mpeg4.avi -i mjpeg.avi \
        -c copy -map 0 h264.mkv -c copy -map 0 h264.ts -c copy -map 0 h264.mov \
        -c copy -map 1 hevc.mkv -c copy -map 1 hevc.ts -c copy -map 2 vp8.mkv \
        -c copy -map 3 vp9.mkv -c copy -map 4 av1.webm -c copy -map 4 av1.mkv \
        -c copy -map 5 mpeg4.mp4 -c copy -map 5 mpeg4.mkv \
        -c copy -map 6 mjpeg.mkv -c copy -map 6 mjpeg.mov
        """

    /// Runs ffmpeg with arguments that contain no spaces.
    static func run(_ arguments: String, in folder: TemporaryDirectory) async throws {
        let words = arguments.split(separator: " ").map(String.init)
        // ffmpeg has no option for its folder.
        let isDone = try await DocumentBench.run(
            "/bin/sh",
            ["-c", "cd \"$1\" && shift && exec \"$@\"", "sh", folder.url.path, ffmpeg]
                + ["-v", "error", "-nostdin", "-y"] + words
        )
        try #require(isDone, "ffmpeg \(arguments)")
    }

    /// The frames that ffmpeg makes of files at a time, in one run.
    ///
    /// It decodes transport streams from their beginning: from a place in the middle, FFmpeg 7.1 delivers
    /// frames without the ones that they refer to.
    static func frames(
        _ files: [String],
        at time: Double,
        in folder: TemporaryDirectory
    ) async throws -> [Data] {
        let seek = "-ss \(time)"
        let inputs = files.map { $0.hasSuffix(".ts") ? "-i \($0)" : "\(seek) -i \($0)" }
        let outputs = files.enumerated().map { index, file in
            "\(file.hasSuffix(".ts") ? seek : "") -map \(index):v -frames:v 1 -pix_fmt rgba"
                + " -f rawvideo \(index).rgba"
        }
        try await run((inputs + outputs).joined(separator: " "), in: folder)
        return try files.indices.map { try Data(contentsOf: folder.file("\($0).rgba")) }
    }

    /// The frame of a file, decoded by a worker.
    static func bitmap(
        _ url: URL,
        at position: VideoFramePosition,
        maximumSize: CGSize? = nil,
        prefersCover: Bool = false,
        on pool: WorkerPool
    ) async throws -> Bitmap {
        var provider = VideoFrameDataProvider(
            url: url,
            at: position,
            maximumSize: maximumSize,
            prefersCover: prefersCover
        )
        provider.pool = pool
        return try #require(KFCrossPlatformImage(data: try await provider.data())?.bitmap)
    }

    static func areEqual(_ one: Bitmap, _ other: Bitmap) -> Bool {
        one.size == other.size && zip(one.rows, other.rows).allSatisfy { $0.elementsEqual($1) }
    }

    /// The pixels without gaps.
    static func bytes(of bitmap: Bitmap) -> Data {
        bitmap.rows.reduce(into: Data()) { $0.append(contentsOf: $1) }
    }

    /// The ratio of signal to noise in dB; nil if the sizes differ.
    static func ratio(_ bitmap: Bitmap, _ expected: Data) -> Double? {
        let (width, height) = (4 * bitmap.size.width, bitmap.size.height)
        guard expected.count == width * height else { return nil }
        let sum = bitmap.withPixels { pixels, bytesPerRow in
            expected.withUnsafeBytes { other in
                var sum = 0
                for y in 0..<height {
                    let row = UnsafeRawBufferPointer(start: pixels + y * bytesPerRow, count: width)
                    let otherRow = UnsafeRawBufferPointer(
                        rebasing: other[y * width..<(y + 1) * width]
                    )
                    // Most rows are equal, and a debug build is slow in comparing bytes.
                    if let one = row.baseAddress, let other = otherRow.baseAddress,
                        memcmp(one, other, width) == 0
                    {
                        continue
                    }
                    for (one, other) in zip(row, otherRow) {
                        let step = Int(one) - Int(other)
                        sum += step * step
                    }
                }
                return sum
            }
        }
        let mean = Double(max(1, sum)) / Double(expected.count)
        return 10 * log10(255 * 255 / mean)
    }
}
