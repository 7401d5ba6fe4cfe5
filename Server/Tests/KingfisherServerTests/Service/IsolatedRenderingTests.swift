import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// The service decodes sources in worker processes only.
///
/// `Scripts/isolation.sh server` asks for the same under a spy, which would end the service.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct IsolatedRenderingTests {
    private static let fixtures = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Tests/KFCodecsTests/Fixtures")

    @Test("Results of files of every format come from workers")
    func workers() async throws {
        let server = try LoopbackServer { place, _ in
            let name = place.split(separator: "/").last.map(String.init) ?? ""
            // A missing file fails in the service.
            let data = try? Data(contentsOf: Self.fixtures.appending(path: name))
            return LoopbackServer.Answer(contentType: "image/png", body: data ?? Data())
        }
        defer { server.stop() }
        let environment = [
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "IMGPROXY_MAX_ANIMATION_FRAMES": "10",
        ]
        let program = try ServeProgram(environment)
        defer { program.kill() }
        let client = try RawClient(port: try await program.port())
        for name in [
            "animated.gif", "animated.webp", "animated.png", "animated.avif", "still.gif",
            "profile.avif", "profile.jpg", "cmyk.jpg", "lossy.webp", "png.ico",
        ] {
            for options in [
                "w:10/f:gif", "w:10/f:webp", "f:gif", "f:webp", "w:10/f:avif", "t:0/f:gif",
                "w:10/blur:1/pix:2/f:jpg", "scp:0/f:png",
            ] {
                client.send(path(server.url("/\(name)"), options))
                let reply = try await client.reply()
                // An animation cannot be trimmed.
                #expect([200, 422].contains(reply.status), "\(name), \(options)")
            }
        }
    }

    @Test("A still result is encoded, even if its image has a file of the format")
    func planted() throws {
        let planted = try Data(contentsOf: Self.fixtures.appending(path: "animated.gif"))
        let image = try #require(
            KingfisherWrapper<KFCrossPlatformImage>
                .image(data: planted, options: ImageCreatingOptions())
        )
        #expect(image.kf.gifRepresentation() == planted)
        let encoder = ResultEncoder(ResultEncoder.Rule(format: .gif, quality: 80))
        let file = try #require(encoder.file(of: image))
        #expect(file != planted)
        #expect(try ImageFileInfo(data: file).frameCount == 1)
        var rule = ResultEncoder.Rule(format: .gif, quality: 80)
        rule.isAnimated = true
        #expect(ResultEncoder(rule).file(of: image) == planted)
    }
}
