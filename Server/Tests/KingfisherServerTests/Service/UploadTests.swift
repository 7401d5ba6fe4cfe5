import Foundation
import Kingfisher
import KingfisherTesting
import Testing

@testable import KingfisherServer

/// Files that clients send for processing.
@Suite(.timeLimit(.minutes(2)))
struct UploadTests {
    private static let file = ScriptedPicture.gradient(
        from: .red,
        to: .blue,
        width: 40,
        height: 30
    )

    private func post(
        _ path: String,
        to test: TestService,
        _ token: String?
    ) async throws -> Reply {
        let client = try test.connect()
        defer { client.close() }
        let body = Self.file.data()
        var head = "POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        client.sendRaw(Array("\(head)\r\n".utf8) + Array(body))
        return try await client.reply()
    }

    @Test("A file with the token is processed, and nothing of it is kept")
    func processed() async throws {
        try await TestService.run { configuration in
            configuration.operation.uploadToken = "token"
            configuration.urls.pathPrefix = "/img"
            configuration.responses.setsDebugFields = true
        } _: { test async throws in
            let reply = try await post("/img/process/w:20/f:jpg", to: test, "token")
            #expect(reply.status == 200)
            #expect(reply.fields["content-type"] == "image/jpeg")
            #expect(reply.fields["cache-control"] == "no-store")
            #expect(reply.fields["x-result-width"] == "20")
            #expect(try await post("/img/process", to: test, "token").status == 200)
            for token in ["other", nil] {
                #expect(try await post("/img/process/w:20", to: test, token).status == 403)
            }
            #expect(try await post("/img/process/nonsense", to: test, "token").status == 404)
            #expect(try await post("/img/processed/w:20", to: test, "token").status == 405)
        }
    }

    @Test("Without a token in the configuration, no file is taken")
    func off() async throws {
        try await TestService.run { test async throws in
            #expect(try await post("/process/w:20", to: test, "").status == 405)
        }
    }
}
