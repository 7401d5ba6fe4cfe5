import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Requests with parts that would change the request on the wire, and headers sent to another
/// origin.
@Suite(.timeLimit(.minutes(1)))
struct CurlHostileRequestTests {
    let server: ImageServer
    let transport = CurlTransport()

    init() throws {
        server = try ImageServer()
        server.fallback { _ in .text("x") }
    }

    private func outcome(
        of request: URLRequest,
        settings: TransferSettings = .patient,
        _ recorder: TransferRecorder = TransferRecorder()
    ) async -> TransferRecorder.Outcome {
        _ = transport.start(request, settings: settings, handler: recorder)
        return await recorder.outcome()
    }

    @Test(arguments: ["GET /a HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET", "GET\n", "G T", "G\u{0}T", "GÉT"])
    func `a method that is no token is refused before anything is sent`(method: String) async {
        var request = URLRequest(url: server.url("/a"))
        request.httpMethod = method
        guard case .invalidRequest = await outcome(of: request).error else {
            Issue.record("not refused")
            return
        }
        #expect(server.requests.isEmpty)
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [
        ("X-A\r\nX-Evil", "a"), ("X A", "a"), ("X-A:", "a"), ("X\u{1}", "a"), ("Xé", "a"),
        ("X-A", "a\u{1}b"), ("X-A", "a\u{7F}"), ("X-A", "a\u{8}b"),
    ])
    func `a header with a control character is refused before anything is sent`(
        name: String,
        value: String
    ) async {
        var request = URLRequest(url: server.url("/a"))
        request.setValue(value, forHTTPHeaderField: name)
        guard case .invalidRequest = await outcome(of: request).error else {
            Issue.record("not refused")
            return
        }
        #expect(server.connectionCount == 0)
    }

    @Test func `the request of a redirect handler is checked too`() async {
        server.route("/a", .redirect(to: "/b"))
        let recorder = TransferRecorder(redirect: { _, request, reply in
            var request = request
            request.httpMethod = "GET /b HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET"
            reply(request)
        })
        let end = await outcome(of: URLRequest(url: server.url("/a")), recorder)
        guard case .invalidRequest = end.error else {
            Issue.record("\(String(describing: end.error))")
            return
        }
        #expect(server.requests.map(\.path) == ["/a"])
    }

    @Test func `a name with a line break is refused for a digest`() async {
        let digest = "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
        server.route("/a", .status(401, fields: [("WWW-Authenticate", digest)]))
        let recorder = TransferRecorder(challenge: { _, reply in
            reply(TransferCredential(user: "me\"\r\nX-Evil: 1", password: "p"))
        })
        let end = await outcome(of: URLRequest(url: server.url("/a")), recorder)
        guard case .invalidRequest = end.error else {
            Issue.record("\(String(describing: end.error))")
            return
        }
        #expect(server.requests.allSatisfy { $0.value(for: "X-Evil") == nil })
    }

    // MARK: Redirects to another origin

    private func sentElsewhere(keeping names: Set<String> = []) async throws -> ServerRequest {
        let other = try ImageServer()
        other.fallback { _ in .text("there") }
        server.route("/a", .redirect(to: other.url("/end").absoluteString))
        var request = URLRequest(url: server.url("/a"))
        for (name, value) in [
            "Host": "intern.example", "X-Api-Key": "secret", "Authorization": "Bearer x",
            "Cookie": "a=b", "Referer": "http://page/?token=1", "Accept": "image/avif",
            "Accept-Language": "de", "User-Agent": "mine", "If-None-Match": "\"a\"",
        ] { request.setValue(value, forHTTPHeaderField: name) }
        var settings = TransferSettings.patient
        settings.extraHeaders = ["X-Extra-Key": "secret"]
        settings.headersKeptAcrossOrigins = names
        #expect(await outcome(of: request, settings: settings).error == nil)
        #expect(server.requests.first?.value(for: "X-Extra-Key") == "secret")
        return try #require(other.requests.first)
    }

    @Test func `harmless headers alone follow a redirect to another origin`() async throws {
        let request = try await sentElsewhere()
        let bound = [
            "X-Api-Key", "X-Extra-Key", "Authorization", "Cookie", "Referer", "If-None-Match",
        ]
        for name in bound { #expect(request.value(for: name) == nil, "\(name)") }
        #expect(request.value(for: "Host")?.hasPrefix("127.0.0.1:") == true)
        #expect(request.value(for: "Accept") == "image/avif")
        #expect(request.value(for: "Accept-Language") == "de")
        #expect(request.value(for: "User-Agent") == "mine")
    }

    @Test func `so do those that the caller names, but for the host and credentials`() async throws
    {
        let names: Set = ["x-api-key", "referer", "host", "authorization", "cookie"]
        let request = try await sentElsewhere(keeping: names)
        #expect(request.value(for: "X-Api-Key") == "secret")
        #expect(request.value(for: "Referer") == "http://page/?token=1")
        #expect(request.value(for: "X-Extra-Key") == nil)
        #expect(request.value(for: "Host")?.hasPrefix("127.0.0.1:") == true)
        #expect(request.value(for: "Authorization") == nil)
        #expect(request.value(for: "Cookie") == nil)
    }
}
