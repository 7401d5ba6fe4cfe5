import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1)))
struct CurlRedirectTests {
    let server: ImageServer
    let transport = CurlTransport()

    init() throws {
        server = try ImageServer()
        server.route("/end", .text("here"))
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is followed on the same connection`(status: Int) async {
        server.route("/a", .redirect(to: "/b?x=1", status: status))
        server.route("/b", .redirect(to: "end", status: status))
        let recorder = TransferRecorder()
        let outcome = await transport.load(server.url("/a"), recorder: recorder)
        #expect(outcome.error == nil)
        #expect(outcome.body == Data("here".utf8))
        #expect(outcome.response?.url == server.url("/end"))
        #expect(outcome.metrics.redirectCount == 2)
        #expect(server.requests.map(\.target) == ["/a", "/b?x=1", "/end"])
        #expect(server.connectionCount == 1)
        #expect(
            recorder.events == [
                .redirect(server.url("/b?x=1").absoluteString),
                .redirect(server.url("/end").absoluteString), .response(200), .chunk(4), .finish,
            ]
        )
    }

    @Test func `MOD-2: a handler that answers nil gets the redirect as the response`() async {
        let reply = ServerReply.body(
            Data("moved".utf8),
            status: 302,
            fields: [("Location", "/end")]
        )
        server.route("/a", reply)
        let recorder = TransferRecorder(redirect: { $2(nil) })
        let outcome = await transport.load(server.url("/a"), recorder: recorder)
        #expect(outcome.error == nil)
        #expect(outcome.response?.statusCode == 302)
        #expect(outcome.body == Data("moved".utf8))
        #expect(server.requests.count == 1)
    }

    @Test func `a handler may answer later and change the request`() async {
        let gate = ServerGate()
        server.route("/a", .redirect(to: "/b"))
        let recorder = TransferRecorder(redirect: { _, request, reply in
            Task {
                await gate.reached()
                var request = request
                request.setValue("yes", forHTTPHeaderField: "X-Changed")
                reply(request)
                reply(nil)
            }
        })
        server.route("/side", .held(gate, then: .text("side")))
        server.route("/b", .text("changed"))
        let side = TransferRecorder()
        _ = transport.start(
            URLRequest(url: server.url("/a")),
            settings: .patient,
            handler: recorder
        )
        _ = transport.start(
            URLRequest(url: server.url("/side")),
            settings: .patient,
            handler: side
        )
        let outcome = await recorder.outcome()
        #expect(outcome.body == Data("changed".utf8))
        #expect(server.requests(for: "/b").first?.value(for: "X-Changed") == "yes")
        gate.open()
        _ = await side.outcome()
    }

    @Test func `a loop ends with an error that says so`() async {
        server.route("/a", .redirect(to: "/b"))
        server.route("/b", .redirect(to: "/a#again"))
        let outcome = await transport.load(server.url("/a"))
        guard case .redirectLoop = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(server.requests.count == 2)
    }

    @Test func `more redirects than allowed are refused`() async {
        server.fallback { .redirect(to: "/\((Int($0.path.dropFirst()) ?? 0) + 1)") }
        var settings = TransferSettings.patient
        settings.maxRedirects = 3
        let outcome = await transport.load(server.url("/0"), settings: settings)
        guard case .tooManyRedirects(limit: 3, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(server.requests.count == 4)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher://127.0.0.1"])
    func `a redirect to another scheme is refused`(target: String) async {
        server.route("/a", .redirect(to: target))
        let outcome = await transport.load(server.url("/a"))
        guard case .redirectRefused = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
    }

    @Test func `a scheme that the settings exclude is refused, also from the handler`() async {
        server.route("/a", .redirect(to: "https://127.0.0.1:1/"))
        var settings = TransferSettings.patient
        settings.redirectSchemes = ["https"]
        let recorder = TransferRecorder(redirect: { [server] _, _, reply in
            reply(URLRequest(url: server.url("/end")))
        })
        let outcome = await transport.load(
            server.url("/a"),
            settings: settings,
            recorder: recorder
        )
        guard case .redirectRefused = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
    }

    @Test(arguments: ["http://", "http://[", "//"])
    func `a location that is no URL is an error`(location: String) async {
        server.route("/a", .redirect(to: location))
        let outcome = await transport.load(server.url("/a"))
        #expect(outcome.error != nil)
    }

    @Test func `credentials stay with the origin that they were for`() async throws {
        let other = try ImageServer()
        other.route("/end", .text("there"))
        server.route("/a", .redirect(to: "/b"))
        server.route("/b", .redirect(to: other.url("/end").absoluteString))
        var request = URLRequest(url: server.url("/a"))
        request.setValue("Bearer x", forHTTPHeaderField: "Authorization")
        request.setValue("a=b", forHTTPHeaderField: "Cookie")
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: .patient, handler: recorder)
        #expect(await recorder.outcome().body == Data("there".utf8))
        #expect(server.requests.map { $0.value(for: "Authorization") } == ["Bearer x", "Bearer x"])
        let last = other.requests.first
        #expect(last?.value(for: "Authorization") == nil)
        #expect(last?.value(for: "Cookie") == nil)
    }

    @Test(arguments: [(303, "GET", 0), (302, "GET", 0), (307, "POST", 4), (308, "POST", 4)])
    func `a POST keeps or loses its body by the status`(
        status: Int,
        method: String,
        length: Int
    ) async {
        server.route("/a", .redirect(to: "/end", status: status))
        var request = URLRequest(url: server.url("/a"))
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: .patient, handler: recorder)
        _ = await recorder.outcome()
        #expect(server.requests.last?.method == method)
        #expect(server.requests.last?.body.count == length)
    }

    @Test func `a redirect with a huge body does not hold up the next request`() async {
        let head = ServerReply.head(302, [("Location", "/end")])
        server.route(
            "/a",
            ServerReply(steps: [
                .send(head), .repeatForever(Data(repeating: 0, count: 16 << 10)),
            ])
        )
        let outcome = await transport.load(server.url("/a"))
        #expect(outcome.body == Data("here".utf8))
        await server.abandoned(1)
    }
}
