import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests that a server has not processed.
@Suite(.timeLimit(.minutes(1)))
struct CurlRepeatTests {
    private let transport = CurlTransport()

    /// Answers the first `count` requests in one way, and later ones with a text.
    private func server(_ count: Int, _ reply: ServerReply) throws -> ImageServer {
        let server = try ImageServer()
        let served = Locked(0)
        server.fallback { _ in
            served.change { $0 += 1 }
            return served.value <= count ? reply : .text("here")
        }
        return server
    }

    private func load(_ request: URLRequest) async -> TransferRecorder.Outcome {
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: .patient, handler: recorder)
        return await recorder.outcome()
    }

    @Test(arguments: [ServerReply.Step.close, .reset])
    func `DL-47: a request whose connection ends without a response is repeated once`(
        end: ServerReply.Step
    ) async throws {
        let server = try server(1, ServerReply(steps: [end]))
        let outcome = await transport.load(server.url("/a"))
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(Data("here".utf8)))
        #expect(server.connectionCount == 2)
    }

    @Test func `it is repeated only once`() async throws {
        let server = try server(.max, ServerReply(steps: [.close]))
        let outcome = await transport.load(server.url("/a"))
        guard case .connectionLost = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(server.requests.count == 2)
    }

    @Test func `a request that changes something is not repeated`() async throws {
        let server = try server(1, ServerReply(steps: [.close]))
        var request = URLRequest(url: server.url("/a"))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        #expect(await load(request).error?.isTransient == true)
        #expect(server.requests.count == 1)
    }

    @Test func `a request is not repeated after the first byte of a response`() async throws {
        let begun = ServerReply(steps: [.send(Data("HTTP/1.1 200 OK\r\nA".utf8)), .close])
        let server = try server(1, begun)
        #expect(await transport.load(server.url("/a")).error != nil)
        #expect(server.requests.count == 1)
    }

    @Test func `a misdirected request (421) is repeated once on a new connection`() async throws {
        let server = try server(1, .status(421))
        let outcome = await transport.load(server.url("/a"))
        #expect(outcome.response?.statusCode == 200)
        #expect(server.connectionCount == 2)

        let stubborn = try self.server(.max, .status(421))
        #expect(await transport.load(stubborn.url("/a")).response?.statusCode == 421)
        #expect(stubborn.requests.count == 2)
    }

    /// Frames of HTTP/2 (RFC 9113, 6) that follow the server's settings.
    enum Refusal: CaseIterable {
        /// GOAWAY without an error; no stream was processed.
        case goAway
        /// RST_STREAM with REFUSED_STREAM.
        case refused
        /// RST_STREAM with HTTP_1_1_REQUIRED.
        case needsHTTP1

        var frame: [UInt8] {
            switch self {
            case .goAway: [0, 0, 8, 7, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 0]
            case .refused: [0, 0, 4, 3, 0, 0, 0, 0, 1] + [0, 0, 0, 7]
            case .needsHTTP1: [0, 0, 4, 3, 0, 0, 0, 0, 1] + [0, 0, 0, 13]
            }
        }
    }

    @Test(
        .enabled(if: NginxServer.isAvailable, "needs nginx: Scripts/bootstrap.sh --tests"),
        arguments: Refusal.allCases
    )
    func `a request that an HTTP-2 server refuses unprocessed is repeated`(
        refusal: Refusal
    ) async throws {
        let authority = try TestAuthority()
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let refusing = try RawTLSServer(
            authority: authority,
            protocolName: "h2",
            sending: Data(settings + refusal.frame)
        )
        let nginx = try NginxServer(authority: authority)
        try nginx.serve(Data("here".utf8), at: "a")
        let ports = try [refusing.url, nginx.secureURL("a")].map { UInt16(try #require($0.port)) }
        let relay = try ServerRelay(to: ports[0], ports[1])
        var trusting = TransferSettings.patient
        trusting.certificateAuthorities = try authority.pem(.root)
        let outcome = await transport.load(relay.url(nginx.secureURL("a")), settings: trusting)
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(Data("here".utf8)))
        #expect(outcome.metrics.protocolName == (refusal == .needsHTTP1 ? "http/1.1" : "h2"))
        #expect(relay.connectionCount == 2)
    }
}
