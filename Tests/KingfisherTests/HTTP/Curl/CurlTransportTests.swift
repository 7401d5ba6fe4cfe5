import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1)))
struct CurlTransportTests {
    let server: ImageServer
    let transport = CurlTransport()

    init() throws {
        server = try ImageServer()
    }

    @Test func `a body arrives whole with its head and metrics`() async {
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        server.route("/a", .body(bytes, type: "image/jpeg", fields: [("X-Kind", "a")]))
        let recorder = TransferRecorder()
        let outcome = await transport.load(server.url("/a"), recorder: recorder)
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(bytes))
        #expect(outcome.response?.statusCode == 200)
        #expect(outcome.response?.value(for: "x-kind") == "a")
        #expect(outcome.response?.expectedLength == bytes.count)
        let response = outcome.response?.httpURLResponse
        #expect(response?.mimeType == "image/jpeg")
        #expect(response?.expectedContentLength == Int64(bytes.count))
        #expect(outcome.metrics.bytes == bytes.count)
        #expect(outcome.metrics.statusCode == 200)
        #expect(outcome.metrics.remoteAddress == "127.0.0.1")
        #expect(outcome.metrics.protocolName == "http/1.1")
        #expect(outcome.metrics.connectionReused == false)
        #expect(outcome.metrics.connect != nil)
        #expect(recorder.events.first == .response(200))
        #expect(recorder.events.last == .finish)
    }

    @Test func `an empty body has a response and an end`() async {
        server.route("/empty", .status(204))
        let recorder = TransferRecorder()
        let outcome = await transport.load(server.url("/empty"), recorder: recorder)
        #expect(outcome.error == nil)
        #expect(recorder.events == [.response(204), .finish])
    }

    @Test func `a second request uses the same connection`() async {
        server.route("/a", .text("hello"))
        _ = await transport.load(server.url("/a"))
        let second = await transport.load(server.url("/a"))
        #expect(second.metrics.connectionReused)
        #expect(second.metrics.connect == nil)
        #expect(server.connectionCount == 1)
    }

    @Test func `chunks of unknown length arrive as they come`() async {
        let gate = ServerGate()
        server.route("/c", .chunked([Data("one".utf8), Data("two".utf8)], gate: gate))
        let recorder = TransferRecorder()
        _ = transport.start(
            URLRequest(url: server.url("/c")),
            settings: .patient,
            handler: recorder
        )
        await recorder.wait { $0.contains(.chunk(3)) }
        gate.open()
        let outcome = await recorder.outcome()
        #expect(outcome.body == Data("onetwo".utf8))
        #expect(outcome.response?.expectedLength == nil)
    }

    @Test func `method, headers and body are sent`() async {
        server.route("/post", .text("ok"))
        var request = URLRequest(url: server.url("/post"))
        request.httpMethod = "POST"
        request.httpBody = Data("payload".utf8)
        request.setValue("1", forHTTPHeaderField: "X-One")
        request.setValue("", forHTTPHeaderField: "X-Empty")
        var settings = TransferSettings.patient
        settings.extraHeaders = ["X-One": "ignored", "X-Two": "2"]
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: settings, handler: recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.error == nil)
        let seen = server.requests.first
        #expect(seen?.method == "POST")
        #expect(seen?.body == Data("payload".utf8))
        #expect(seen?.value(for: "X-One") == "1")
        #expect(seen?.value(for: "X-Two") == "2")
        #expect(seen?.value(for: "X-Empty") == "")
        #expect(seen?.value(for: "Expect") == nil)
        #expect(seen?.value(for: "Accept-Encoding")?.contains("gzip") == true)
        #expect(seen?.value(for: "User-Agent") == "Kingfisher-Linux")
        #expect(outcome.metrics.bytesSent == 7)
    }

    /// The headers of every request but `Host`, in lower case; those that libcurl adds count, too.
    private static let headers = ["accept", "accept-encoding", "user-agent"]

    @Test(arguments: [false, true])
    func `a request has no headers but these, and a program's own in their place`(
        isOwn: Bool
    ) async throws {
        server.route("/a", .text("ok"))
        var request = URLRequest(url: server.url("/a"))
        let own = isOwn ? Self.headers : []
        for name in own { request.setValue("identity", forHTTPHeaderField: name) }
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: .patient, handler: recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.error == nil)
        let seen = try #require(server.requests.first)
        let names = seen.fields.map { $0.name.lowercased() }.sorted()
        #expect(names == (Self.headers + ["host"]).sorted())
        for name in own { #expect(seen.value(for: name) == "identity") }
    }

    @Test func `a HEAD has no body whatever its length says`() async {
        let reply = ServerReply(steps: [.send(ServerReply.head(200, [("Content-Length", "999")]))])
        server.route("/head", reply)
        var request = URLRequest(url: server.url("/head"))
        request.httpMethod = "HEAD"
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: .patient, handler: recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.error == nil)
        #expect(outcome.body.isEmpty)
    }

    @Test func `interim answers and trailers are no responses`() async {
        var bytes = Data("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n".utf8)
        bytes += ServerReply.head(200, [("Transfer-Encoding", "chunked"), ("Trailer", "X-Sum")])
        bytes += Data("2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n".utf8)
        server.route("/hints", ServerReply(steps: [.send(bytes)]))
        let recorder = TransferRecorder()
        let outcome = await transport.load(server.url("/hints"), recorder: recorder)
        #expect(outcome.error == nil)
        #expect(recorder.events == [.response(200), .chunk(2), .finish])
        #expect(outcome.response?.value(for: "Link") == nil)
    }

    @Test(arguments: [404, 410, 429, 500, 503])
    func `an error status is a response like any other`(status: Int) async {
        server.route("/e", .text("no", status: status))
        let outcome = await transport.load(server.url("/e"))
        #expect(outcome.error == nil)
        #expect(outcome.response?.statusCode == status)
        #expect(outcome.body == Data("no".utf8))
    }
}
