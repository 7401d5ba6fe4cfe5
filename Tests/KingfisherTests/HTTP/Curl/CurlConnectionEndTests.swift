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

    /// The outcomes of two loads at the same time, each on a connection of its own.
    private func loadTwo(
        from server: ImageServer,
        _ relay: ServerRelay,
        _ settings: TransferSettings
    ) async -> [TransferRecorder.Outcome] {
        let gate = ServerGate()
        server.route("/held", ServerReply(steps: [.wait(gate)] + ServerReply.text("held").steps))
        let url = relay.url(server.url("/held"))
        async let first = transport.load(url, settings: settings)
        async let second = transport.load(url, settings: settings)
        let arrival = Task {
            await gate.reached(2)
            gate.open()
        }
        let outcomes = await [first, second]
        arrival.cancel()
        gate.open()
        return outcomes
    }

    @Test func `idle connections to the peer of a silent one are not used again, others are`()
        async throws
    {
        let (server, other) = (try ImageServer(), try ImageServer())
        other.route("/other", .text("other"))
        let relay = try ServerRelay(to: server.port)
        var settings = TransferSettings.patient
        settings.idleTimeout = .seconds(10)
        #expect(await loadTwo(from: server, relay, settings).allSatisfy { $0.error == nil })
        #expect(await transport.load(other.url("/other")).error == nil)
        #expect(relay.connectionCount == 2)
        relay.fallSilent()
        server.route("/next", .text("next"))
        let next = relay.url(server.url("/next"))
        var impatient = settings
        impatient.idleTimeout = .milliseconds(300)
        #expect(await transport.load(next, settings: impatient).error != nil)
        #expect(relay.connectionCount == 2)
        #expect(await transport.load(next, settings: settings).error == nil)
        #expect(await loadTwo(from: server, relay, settings).allSatisfy { $0.error == nil })
        #expect(relay.connectionCount == 4)
        #expect(await transport.load(other.url("/other")).metrics.connectionReused)
        #expect(other.connectionCount == 1)
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
