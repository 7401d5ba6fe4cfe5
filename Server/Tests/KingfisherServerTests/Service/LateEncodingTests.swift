import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// Encoders that cannot be interrupted hold no thread of the service after the limit of a request.
@Suite(.timeLimit(.minutes(2)))
struct LateEncodingTests {
    /// A PNG of noise, which takes AVIF's slowest encoder more than a minute.
    private static func noise() throws -> Data {
        let side = 1400
        var random = SystemRandomNumberGenerator()
        var bytes = Data(count: side * side * 4)
        for index in bytes.indices {
            bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: random.next())
        }
        let image = KFCrossPlatformImage(premultipliedRGBA: bytes, width: side, height: side)
        return try #require(image?.kf.pngRepresentation())
    }

    @Test("Requests whose encoding takes too long get 504, and leave their threads to others")
    func late() async throws {
        let noise = try Self.noise()
        let server = try LoopbackServer { _, _ in
            LoopbackServer.Answer(contentType: "image/png", body: noise)
        }
        defer { server.stop() }
        let program = try ServeProgram([
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "IMGPROXY_TIMEOUT": "4", "IMGPROXY_AVIF_SPEED": "0",
        ])
        defer { program.kill() }
        let port = try await program.port()
        // As many as threads, so that one that is held is missed.
        let count = ProcessInfo.processInfo.activeProcessorCount
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<count {
                let place = path(server.url("/\(number).png"), "q:100/f:avif")
                group.addTask {
                    let client = try RawClient(port: port)
                    defer { client.close() }
                    client.send(place)
                    return try await client.reply().status
                }
            }
            for try await status in group { #expect(status == 504) }
        }
        let client = try RawClient(port: port)
        defer { client.close() }
        client.send(path(server.url("/small.png"), "w:10/f:png"))
        #expect(try await client.reply().status == 200)
    }
}
