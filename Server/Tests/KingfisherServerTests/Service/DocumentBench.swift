import Foundation
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// A service, and a server of the documents and videos of the tests.
struct DocumentBench {
    let server: LoopbackServer
    let program: ServeProgram
    let client: RawClient

    static let documents = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Tests/Documents")

    /// - Parameters:
    ///   - variable: The variable of the environment that allows documents or videos.
    ///   - isOn: Its value.
    ///   - files: Further files by their names.
    /// - Throws: The error of starting the service.
    init(_ variable: String, isOn: Bool, files: [String: Data] = [:]) async throws {
        server = try LoopbackServer { place, _ in
            let name = place.split(separator: "/").last.map(String.init) ?? ""
            let data = files[name] ?? (try? Data(contentsOf: Self.documents.appending(path: name)))
            return LoopbackServer.Answer(
                contentType: "application/octet-stream",
                body: data ?? Data()
            )
        }
        program = try ServeProgram([
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "IMGPROXY_ALLOW_SECURITY_OPTIONS": "1", variable: isOn ? "1" : "0",
        ])
        client = try RawClient(port: try await program.port())
    }

    func stop() {
        program.kill()
        server.stop()
    }

    /// The body of the answer for a file with options.
    func body(_ file: String, _ options: String, status: Int = 200) async throws -> Data {
        client.send(path(server.url("/" + file), options))
        let reply = try await client.reply()
        #expect(reply.status == status, "\(file) \(options)")
        return reply.body
    }

    /// What `info` says about a file.
    func information(of file: String) async throws -> ImageInformation {
        let place = path(server.url("/" + file), "w:1")
        client.send(place.replacing("/unsafe/", with: "/unsafe/info/"))
        return try JSONDecoder().decode(
            ImageInformation.self,
            from: try await client.reply().body
        )
    }
}
