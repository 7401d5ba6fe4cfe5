import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

private let hasPoppler = FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftocairo")

/// Pages of PDF documents, behind `KF_PDF`.
@Suite(.enabled(if: hasPoppler), .timeLimit(.minutes(2)), .serialized)
struct DocumentTests {
    private static let documents = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Tests/Documents")

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { place, _ in
            let name = place.split(separator: "/").last.map(String.init) ?? ""
            let data =
                name == "image.png"
                ? Data(base64Encoded: pixel)
                : try? Data(contentsOf: documents.appending(path: name))
            return LoopbackServer.Answer(contentType: "application/pdf", body: data ?? Data())
        }
    }

    /// A PNG of one pixel.
    private static let pixel = """
        iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
        """

    private static func environment(_ isOn: Bool) -> [String: String] {
        [
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "KF_PDF": isOn ? "1" : "0",
        ]
    }

    @Test("A page of a document is an image, and info counts pages")
    func pages() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let program = try ServeProgram(Self.environment(true))
        defer { program.kill() }
        let client = try RawClient(port: try await program.port())
        // The page has 180 × 120 points.
        client.send(path(server.url("/two.pdf"), "f:png"))
        let first = try await client.reply()
        #expect(first.status == 200)
        let size = try ImageFileInfo(data: first.body).size
        #expect(size == CGSize(width: 360, height: 240))
        client.send(path(server.url("/two.pdf"), "pg:1/w:90/f:png"))
        let second = try await client.reply()
        #expect(try ImageFileInfo(data: second.body).size.width == 90)
        for (file, options, status) in [
            ("two.pdf", "page:2", 422), ("locked.pdf", "w:10", 422), ("two.pdf", "raw:1", 422),
            ("image.png", "w:1", 200), ("image.png", "page:1", 422), ("two.pdf", "page:-1", 404),
        ] {
            client.send(path(server.url("/" + file), options))
            #expect(try await client.reply().status == status, "\(file) \(options)")
        }
        client.send(
            path(server.url("/two.pdf"), "w:1").replacing("/unsafe/", with: "/unsafe/info/")
        )
        let information = try JSONDecoder().decode(
            ImageInformation.self,
            from: try await client.reply().body
        )
        #expect(information.pages == 2)
        #expect(information.format == "pdf")
        #expect(information.width == 360)
    }

    @Test("Without KF_PDF a document is no image, and page is refused")
    func off() async throws {
        let server = try Self.server()
        defer { server.stop() }
        let program = try ServeProgram(Self.environment(false))
        defer { program.kill() }
        let client = try RawClient(port: try await program.port())
        for (options, status) in [("w:10", 422), ("page:1", 404)] {
            client.send(path(server.url("/two.pdf"), options))
            #expect(try await client.reply().status == status, "\(options)")
        }
    }
}
