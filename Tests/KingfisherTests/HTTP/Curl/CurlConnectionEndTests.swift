import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Bytes that come after a response, and connections that end in place of one.
@Suite(.timeLimit(.minutes(1)))
struct CurlConnectionEndTests {
    private let transport = CurlTransport()

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong",
        "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "\r\n",
    ])
    func `bytes sent unasked are not part of the next response`(unasked: String) async throws {
        let server = try ImageServer()
        let (before, after) = (ServerGate(), ServerGate())
        let first = ServerReply.text("first").steps
        server.route(
            "/first",
            ServerReply(
                steps: first + [.wait(before), .send(Data(unasked.utf8)), .wait(after)]
            )
        )
        server.route("/next", .text("next"))
        #expect(await transport.load(server.url("/first")).hasBody(Data("first".utf8)))
        before.open()
        await after.reached()
        let next = await transport.load(server.url("/next"))
        #expect(next.error == nil)
        #expect(next.response?.statusCode == 200)
        #expect(next.hasBody(Data("next".utf8)))
        #expect(server.connectionCount == 2)
        // Its connection is clean, and is used again.
        #expect(await transport.load(server.url("/next")).hasBody(Data("next".utf8)))
        #expect(server.connectionCount == 2)
    }

    @Test(.enabled(if: NginxServer.isAvailable, "needs openssl: Scripts/bootstrap.sh --tests"))
    func `a body without a length is cut if TLS ends without its own end`() async throws {
        let authority = try TestAuthority()
        let server = try RawTLSServer(
            authority: authority,
            sending: ServerReply.head(200) + Data("a part".utf8)
        )
        var settings = TransferSettings.patient
        settings.certificateAuthorities = try authority.pem(.root)
        let recorder = TransferRecorder(chunk: { _ in server.stop() })
        let outcome = await transport.load(server.url, settings: settings, recorder: recorder)
        #expect(outcome.hasBody(Data("a part".utf8)))
        #expect(outcome.error?.isTransient == true)
    }
}
