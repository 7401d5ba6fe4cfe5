import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers of a server that attacks its client.
@Suite(.timeLimit(.minutes(1)))
struct CurlHostileAnswerTests {
    let server: ImageServer
    let transport = CurlTransport()

    init() throws {
        server = try ImageServer()
    }

    // libcurl before 8.1.0 continued the header of an earlier request of the same handle, in freed
    // memory. Such a use is not always detected at once, hence the repetitions.
    @Test func `a folded line at the start of a head after a redirect is a bad response`()
        async throws
    {
        let other = try ImageServer()
        let folded = Data("HTTP/1.1 200 OK\r\n folded: x\r\nContent-Length: 0\r\n\r\n".utf8)
        other.route("/b", ServerReply(steps: [.send(folded), .close]))
        server.route("/a", .redirect(to: other.url("/b").absoluteString))
        server.route("/fine", .text("fine"))
        for _ in 0..<60 {
            let outcome = await transport.load(server.url("/a"))
            guard case .badResponse(let reason, _) = outcome.error else {
                Issue.record("\(String(describing: outcome.error))")
                return
            }
            #expect(reason == "its head begins with a folded line")
            #expect(await transport.load(server.url("/fine")).body == Data("fine".utf8))
        }
    }

    /// A response with a line among its fields or among its trailers.
    private func route(field: String = "X: y", trailer: String = "X: y") {
        let fields = "\(field)\r\nLocation: /other\r\nTransfer-Encoding: chunked\r\n"
        let answer = "HTTP/1.1 200 OK\r\n\(fields)\r\n2\r\nhi\r\n0\r\n\(trailer)\r\n\r\n"
        server.route("/a", ServerReply(steps: [.send(Data(answer.utf8))]))
        server.route("/other", .text("other"))
    }

    @Test(arguments: ["HTTP/1.1 302 x: y", "HTTP/1.1 404: Not"])
    func `a field or a trailer that looks like a status line is none`(line: String) async {
        route(field: line, trailer: line)
        let outcome = await transport.load(server.url("/a"))
        #expect(outcome.error == nil)
        #expect(outcome.response?.statusCode == 200)
        #expect(outcome.hasBody(Data("hi".utf8)))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["HTTP/1.1 404 Not", "HTTP/1.1 302 Found"])
    func `a second status line is an error, and is not obeyed`(line: String) async {
        // It has no colon, so libcurl does not accept it as a field or a trailer.
        route(field: line)
        let inHead = await transport.load(server.url("/a"))
        guard case .badResponse = inHead.error else {
            Issue.record("\(String(describing: inHead.error))")
            return
        }
        #expect(inHead.response == nil)
        route(trailer: line)
        let behindBody = await transport.load(server.url("/a"))
        #expect(behindBody.error != nil)
        #expect(behindBody.response?.statusCode == 200)
        #expect(server.requests.count == 2)
    }

    /// What versions of libcurl judge differently.
    @Test(arguments: [
        "HTTP/1.1 99999 ?\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1  200 OK\r\n",
        "HTTP/1.1\t200 OK\r\n",
        "HTTP/2 200 OK\r\n", "HTTP/3 200 OK\r\n", "HTTP/1.2 200 OK\r\n", "HTTP/1.1\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n",
        "HTTP/1.1 200 OK\r\nX: \(String(repeating: "l", count: 110_000))\r\n",
    ])
    func `an invalid head is a bad response with every libcurl`(head: String) async {
        let answer = Data("\(head)Content-Length: 2\r\n\r\nhi".utf8)
        server.route("/a", ServerReply(steps: [.send(answer), .close]))
        let recorder = TransferRecorder()
        let outcome = await transport.load(server.url("/a"), recorder: recorder)
        guard case .badResponse = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(outcome.response == nil)
        #expect(recorder.byteCount == 0)
    }

    // MARK: Encodings

    @Test(arguments: ["compress", "gzip, gzip", "br, zstd", "x-unheard-of"])
    func `an encoding that was not asked for is an error that names it`(encoding: String) async {
        let reply = ServerReply.body(Data("x".utf8), fields: [("Content-Encoding", encoding)])
        server.route("/a", reply)
        let recorder = TransferRecorder()
        let outcome = await transport.load(server.url("/a"), recorder: recorder)
        guard case .badResponse(let reason, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(reason.contains(encoding))
        #expect(recorder.byteCount == 0)
    }

    @Test func `a transfer encoding other than chunks is an error`() async {
        let head = ServerReply.head(200, [("Transfer-Encoding", "gzip, chunked")])
        server.route("/a", ServerReply(steps: [.send(head + Data("0\r\n\r\n".utf8)), .close]))
        guard case .badResponse(let reason, _) = await transport.load(server.url("/a")).error
        else {
            Issue.record("accepted")
            return
        }
        // Newer versions of libcurl report the first coding only.
        #expect(reason.hasPrefix("its transfer encoding is not chunked: "))
        #expect(reason.contains("gzip"))
    }

    @Test(arguments: [
        (nil, "gzip, deflate, br, zstd"), ("compress, gzip", "gzip"), ("*", "identity"),
        ("BR;q=0.5, compress;q=1", "BR;q=0.5"), ("identity", "identity"),
    ])
    func `only encodings that can be decoded within bounds are asked for`(
        wish: String?,
        sent: String
    ) async {
        server.route("/a", .text("x"))
        var request = URLRequest(url: server.url("/a"))
        request.setValue(wish, forHTTPHeaderField: "Accept-Encoding")
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: .patient, handler: recorder)
        _ = await recorder.outcome()
        #expect(server.requests.first?.value(for: "Accept-Encoding") == sent)
    }

    // MARK: Slowness

    @Test(arguments: [200, 302])
    func `a body that drips is given up`(status: Int) async {
        let head = ServerReply.head(status, [("Content-Length", "300"), ("Location", "/end")])
        let steps: [ServerReply.Step] = [
            .send(head), .drip(Data(repeating: 1, count: 300), every: .milliseconds(10)),
        ]
        server.route("/slow", ServerReply(steps: steps))
        server.route("/end", .text("x"))
        var settings = TransferSettings.patient
        settings.idleTimeout = .seconds(1)
        let outcome = await transport.load(server.url("/slow"), settings: settings)
        // On a busy machine the server may be silent for longer than the time-out.
        guard case .timedOut(let phase, limit: .seconds(1), _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(phase != .total && phase != .connect)
    }

    @Test func `a head that drips is given up`() async {
        let line = Data("X: y\r\n".utf8)
        let lines = (0..<30).flatMap { _ in
            [ServerReply.Step.send(line), .drip(Data("X".utf8), every: .milliseconds(100))]
        }
        let end = ServerReply.Step.send(Data("Content-Length: 0\r\n\r\n".utf8))
        server.route(
            "/slow",
            ServerReply(steps: [.send(Data("HTTP/1.1 200 OK\r\n".utf8))] + lines + [end])
        )
        var settings = TransferSettings.patient
        settings.idleTimeout = .seconds(1)
        let outcome = await transport.load(server.url("/slow"), settings: settings)
        guard case .timedOut(.idle, _, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
    }

    @Test func `slow bodies do not keep the others of their host waiting`() async {
        let head = ServerReply.head(200, [("Content-Length", "9000")])
        let steps: [ServerReply.Step] = [
            .send(head), .drip(Data(repeating: 1, count: 9000), every: .milliseconds(10)),
        ]
        server.route("/slow", ServerReply(steps: steps))
        server.route("/quick", .text("x"))
        var settings = TransferSettings.patient
        settings.idleTimeout = .milliseconds(500)
        settings.maxConnectionsPerHost = 2
        for _ in 0..<2 {
            _ = transport.start(
                URLRequest(url: server.url("/slow")),
                settings: settings,
                handler: TransferRecorder()
            )
        }
        await server.received(2)
        settings.idleTimeout = .seconds(600)
        let outcome = await transport.load(server.url("/quick"), settings: settings)
        #expect(outcome.body == Data("x".utf8))
    }

    // MARK: Lengths

    @Test(arguments: ["99999999999999999999999", "9223372036854775807", "-1", "+5", "5, 6", "1e3"])
    func `a length that is none, or too large, ends with an error or an answer`(
        length: String
    ) async {
        let head = ServerReply.head(200, [("Content-Length", length)])
        server.route("/a", ServerReply(steps: [.send(head + Data("hello".utf8)), .close]))
        let outcome = await transport.load(server.url("/a"))
        #expect(outcome.error != nil || outcome.body == Data("hello".utf8))
    }
}
