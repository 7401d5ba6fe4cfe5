import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(1)))
struct CurlFailureTests {
    let server: ImageServer
    let transport = CurlTransport()
    let bytes = Data(repeating: 7, count: 100_000)

    init() throws {
        server = try ImageServer()
    }

    @Test func `a refused connection is reported with its host`() async throws {
        let url = server.url("/a")
        server.stop()
        await server.quiet()
        let port = try ImageServer.freePort()
        let gone = try #require(URL(string: "http://127.0.0.1:\(port)/a"))
        let outcome = await transport.load(gone)
        guard case .cannotConnect(host: "127.0.0.1", let reason, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(reason == "Connection refused (port \(port))")
        #expect(outcome.error?.description.contains(gone.absoluteString) == true)
        #expect(outcome.error?.isTransient == true)
        #expect(url != gone)
    }

    @Test func `a name without an address is reported`() async throws {
        let url = try #require(URL(string: "http://nowhere.invalid/a"))
        let outcome = await transport.load(url)
        guard case .cannotResolve(host: "nowhere.invalid", _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
    }

    @Test(arguments: ["ftp://127.0.0.1/a", "file:///etc/hostname", "data:,x"])
    func `other schemes are refused before anything happens`(text: String) async throws {
        let outcome = await transport.load(try #require(URL(string: text)))
        guard case .unsupportedScheme = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
    }

    @Test func `a header with a line break is refused`() async {
        var request = URLRequest(url: server.url("/a"))
        // Foundation drops such values, but not such names.
        request.setValue("a", forHTTPHeaderField: "X-A\r\nX-Evil")
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: .patient, handler: recorder)
        guard case .invalidRequest = await recorder.outcome().error else {
            Issue.record("not refused")
            return
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a body shorter than announced is an error`() async {
        server.route("/t", .truncated(bytes, declared: bytes.count + 1))
        let outcome = await transport.load(server.url("/t"))
        guard case .truncatedBody(let received, let expected, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(received == bytes.count)
        #expect(expected == bytes.count + 1)
    }

    @Test func `chunks that end early are an error`() async {
        let head = ServerReply.head(200, [("Transfer-Encoding", "chunked")])
        let part = Data("5\r\nhello\r\n".utf8)
        server.route("/t", ServerReply(steps: [.send(head + part), .close]))
        let outcome = await transport.load(server.url("/t"))
        #expect(outcome.error?.isTransient == true)
        #expect(outcome.body == Data("hello".utf8))
    }

    @Test func `a reset in the body is an error`() async {
        let gate = ServerGate()
        let head = ServerReply.head(200, [("Content-Length", "200000")])
        server.route("/r", ServerReply(steps: [.send(head + bytes), .wait(gate), .reset]))
        let recorder = TransferRecorder()
        _ = transport.start(
            URLRequest(url: server.url("/r")),
            settings: .patient,
            handler: recorder
        )
        await recorder.wait { $0.contains(.response(200)) }
        gate.open()
        let outcome = await recorder.outcome()
        guard case .connectionLost = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
    }

    @Test(arguments: ["", "garbage\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nA"])
    func `a response that is not HTTP is an error`(text: String) async {
        server.route("/g", ServerReply(steps: [.send(Data(text.utf8)), .close]))
        let recorder = TransferRecorder()
        let outcome = await transport.load(server.url("/g"), recorder: recorder)
        #expect(outcome.error != nil)
        #expect(recorder.events == [.finish])
    }

    @Test func `an endless head ends`() async {
        let line = Data(("X-Long: " + String(repeating: "x", count: 8000) + "\r\n").utf8)
        let reply = ServerReply(steps: [
            .send(Data("HTTP/1.1 200 OK\r\n".utf8)), .repeatForever(line),
        ])
        server.route("/h", reply)
        let outcome = await transport.load(server.url("/h"))
        #expect(outcome.error != nil)
        await server.abandoned(1)
    }

    @Test(arguments: ["HTTP/1.1 200 ", "HTTP/1.1 200 OK\r\nX-Long: "])
    func `a line of a head that is too long is named`(beginning: String) async {
        let line = Data((beginning + String(repeating: "x", count: 120_000) + "\r\n\r\n").utf8)
        server.route("/h", ServerReply(steps: [.send(line), .close]))
        guard case .badResponse(let reason, _) = await transport.load(server.url("/h")).error else {
            Issue.record("not refused")
            return
        }
        #expect(reason.contains("100 KB"))
    }

    @Test(arguments: ["Expect:", "Range:", "X-Mine:", "Accept-Encoding:"])
    func `a header that finds no memory ends the transfer`(name: String) async {
        await #expect(processExitsWith: .success) { [name] in
            let server = try ImageServer()
            server.fallback { _ in .text("here") }
            setenv("KF_REFUSED_COPY", name, 1)
            Allocator.refuseCopiesInLibcurl()
            var request = URLRequest(url: server.url("/a"))
            if name == "Expect:" { request.httpBody = Data("body".utf8) }
            request.setValue("bytes=0-", forHTTPHeaderField: "Range")
            request.setValue("1", forHTTPHeaderField: "X-Mine")
            let recorder = TransferRecorder()
            let transport = CurlTransport()
            _ = transport.start(request, settings: .patient, handler: recorder)
            let error = await recorder.outcome().error
            guard case .curl(code: 27, _, _) = error else {
                preconditionFailure("\(String(describing: error))")
            }
            precondition(server.requests.isEmpty)
        }
    }

    // MARK: Limits

    @Test func `a body announced beyond the limit is refused before it comes`() async {
        server.route("/b", .body(bytes))
        var settings = TransferSettings.patient
        settings.maxBodyBytes = bytes.count - 1
        let recorder = TransferRecorder()
        let outcome = await transport.load(
            server.url("/b"),
            settings: settings,
            recorder: recorder
        )
        guard case .bodyTooLarge(limit: 99_999, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(recorder.byteCount == 0)
    }

    @Test func `an endless body ends at the limit`() async {
        server.route("/e", .endless(bytes))
        var settings = TransferSettings.patient
        settings.maxBodyBytes = 1 << 20
        let outcome = await transport.load(server.url("/e"), settings: settings)
        guard case .bodyTooLarge = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(outcome.body.count <= 1 << 20)
        await server.abandoned(1)
    }

    @Test func `a body of exactly the limit passes`() async {
        server.route("/b", .body(bytes))
        var settings = TransferSettings.patient
        settings.maxBodyBytes = bytes.count
        let outcome = await transport.load(server.url("/b"), settings: settings)
        #expect(outcome.error == nil)
    }

    // MARK: Time-outs

    @Test func `a server that says nothing is given up`() async {
        server.route("/s", .held(ServerGate(), then: .text("never")))
        var settings = TransferSettings.patient
        settings.idleTimeout = .milliseconds(50)
        let outcome = await transport.load(server.url("/s"), settings: settings)
        guard case .timedOut(.idle, limit: .milliseconds(50), _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        await server.abandoned(1)
    }

    @Test func `a body that stalls is given up`() async {
        server.route("/s", .gated(bytes, at: [(1000, ServerGate())]))
        var settings = TransferSettings.patient
        settings.idleTimeout = .milliseconds(250)
        let outcome = await transport.load(server.url("/s"), settings: settings)
        guard case .timedOut(.idle, _, _) = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(outcome.body.count == 1000)
    }

    @Test func `the total time-out counts while bytes come, and while waiting`() async {
        server.route("/e", .endless(Data(repeating: 1, count: 10)))
        var settings = TransferSettings.patient
        settings.totalTimeout = .milliseconds(80)
        settings.maxConnectionsPerHost = 1
        let first = TransferRecorder()
        let second = TransferRecorder()
        for recorder in [first, second] {
            _ = transport.start(
                URLRequest(url: server.url("/e")),
                settings: settings,
                handler: recorder
            )
        }
        for recorder in [first, second] {
            guard case .timedOut(.total, _, _) = await recorder.outcome().error else {
                Issue.record("not timed out")
                return
            }
        }
    }

    @Test func `time that the handler takes does not count as silence`() async {
        server.route("/a", .body(bytes))
        let release = ServerGate()
        server.route("/stall", .held(release, then: .text("x")))
        var settings = TransferSettings.patient
        settings.idleTimeout = .milliseconds(400)
        // The answer is sent only after another transfer has reached the same time-out.
        let stalled = TransferRecorder()
        let recorder = TransferRecorder(response: { [transport, server, settings] _, _, reply in
            Task {
                let url = server.url("/stall")
                _ = await transport.load(url, settings: settings, recorder: stalled)
                reply(.allow)
            }
        })
        let outcome = await transport.load(
            server.url("/a"),
            settings: settings,
            recorder: recorder
        )
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(bytes))
        #expect(stalled.events == [.finish])
    }
}
