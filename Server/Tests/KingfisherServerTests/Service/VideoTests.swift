import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

private let hasFFmpeg = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")

/// Frames of videos, behind `KF_VIDEO`.
@Suite(.enabled(if: hasFFmpeg), .timeLimit(.minutes(2)), .serialized)
struct VideoTests {
    /// Damaged after its beginning.
    private static let bad = Data("0000ftypisom".utf8) + Data(count: 999)

    @Test("A frame of a video is an image, and info has the duration")
    func frames() async throws {
        let bench = try await DocumentBench("KF_VIDEO", isOn: true, files: ["bad.mp4": Self.bad])
        defer { bench.stop() }
        var frames: Set<Data> = []
        for name in ["film.mp4", "film.ts", "film.webm"] {
            for options in ["f:png", "vts:0/f:png", "video_thumbnail_second:1.4/f:png"] {
                let frame = try await bench.body(name, options)
                #expect(try ImageFileInfo(data: frame).size == CGSize(width: 64, height: 48))
                if name == "film.mp4" { frames.insert(frame) }
            }
        }
        #expect(frames.count >= 2)
        for (file, options, status) in [
            ("film.mp4", "vts:1/w:16", 200), ("film.mp4", "raw:1", 422),
            ("film.mp4", "page:1", 404), ("bad.mp4", "w:10", 422), ("two.pdf", "vts:1", 422),
        ] {
            _ = try await bench.body(file, options, status: status)
        }
        let information = try await bench.information(of: "film.mp4")
        #expect(information.format == "video")
        #expect(information.duration == 2)
        #expect(information.width == 64)
    }

    @Test("Without KF_VIDEO a video is no image, and its time is refused")
    func off() async throws {
        let bench = try await DocumentBench("KF_VIDEO", isOn: false)
        defer { bench.stop() }
        for (options, status) in [("w:10", 422), ("vts:1", 404)] {
            _ = try await bench.body("film.mp4", options, status: status)
        }
    }
}
