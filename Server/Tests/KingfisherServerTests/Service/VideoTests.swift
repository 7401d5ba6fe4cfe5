import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

private let hasFFmpeg = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")

/// Frames of videos, behind `KF_VIDEO`.
@Suite(.enabled(if: hasFFmpeg), .timeLimit(.minutes(2)), .serialized)
struct VideoTests {
    private static func server() throws -> LoopbackServer {
        let documents = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Tests/Documents")
        return try LoopbackServer { place, _ in
            let name = place.split(separator: "/").last.map(String.init) ?? ""
            let file = try? Data(contentsOf: documents.appending(path: name))
            // Damaged behind its beginning.
            let data = name == "bad.mp4" ? Data("0000ftypisom".utf8) + Data(count: 999) : file
            return LoopbackServer.Answer(contentType: "video/mp4", body: data ?? Data())
        }
    }

    private static func environment(_ isOn: Bool) -> [String: String] {
        [
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "KF_VIDEO": isOn ? "1" : "0",
        ]
    }

    @Test("A frame of a video is an image, and info has the duration")
    func frames() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let program = try ServeProgram(Self.environment(true))
        defer { program.kill() }
        let client = try RawClient(port: try await program.port())
        var frames: Set<Data> = []
        for name in ["film.mp4", "film.ts", "film.webm"] {
            for options in ["f:png", "vts:0/f:png", "video_thumbnail_second:1.4/f:png"] {
                client.send(path(server.url("/" + name), options))
                let reply = try await client.reply()
                #expect(reply.status == 200, "\(name) \(options)")
                #expect(try ImageFileInfo(data: reply.body).size == CGSize(width: 64, height: 48))
                if name == "film.mp4" { frames.insert(reply.body) }
            }
        }
        #expect(frames.count >= 2)
        for (file, options, status) in [
            ("film.mp4", "vts:1/w:16", 200), ("film.mp4", "raw:1", 422),
            ("film.mp4", "page:1", 404), ("bad.mp4", "w:10", 422), ("two.pdf", "vts:1", 422),
        ] {
            client.send(path(server.url("/" + file), options))
            #expect(try await client.reply().status == status, "\(file) \(options)")
        }
        client.send(
            path(server.url("/film.mp4"), "w:1").replacing("/unsafe/", with: "/unsafe/info/")
        )
        let information = try JSONDecoder().decode(
            ImageInformation.self,
            from: try await client.reply().body
        )
        #expect(information.format == "video")
        #expect(information.duration == 2)
        #expect(information.width == 64)
    }

    @Test("Without KF_VIDEO a video is no image, and its time is refused")
    func off() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let program = try ServeProgram(Self.environment(false))
        defer { program.kill() }
        let client = try RawClient(port: try await program.port())
        for (options, status) in [("w:10", 422), ("vts:1", 404)] {
            client.send(path(server.url("/film.mp4"), options))
            #expect(try await client.reply().status == status, "\(options)")
        }
    }
}
