import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: NginxServer.isAvailable, "needs nginx and openssl: Scripts/bootstrap.sh --tests")
)
struct CurlRealServerTests {
    let server: NginxServer
    let transport: CurlTransport
    let bytes: Data

    init() throws {
        server = try NginxServer()
        var configuration = CurlTransport.Configuration()
        configuration.certificateFile = server.certificateFile
        transport = CurlTransport(configuration: configuration)
        // Hardly compressible, so that gzip changes the length little.
        var state: UInt32 = 1
        bytes = Data(
            (0..<300_000).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(state >> 24)
            }
        )
        for path in ["a", "secret/a", "slow/a"] { try server.serve(bytes, at: path) }
    }

    @Test func `TLS and HTTP/2 with a certificate of our own`() async {
        let outcome = await transport.load(server.secureURL("a"))
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(bytes))
        #expect(outcome.metrics.protocolName == "h2")
        #expect(outcome.metrics.tls != nil)
        #expect(outcome.response?.httpVersion == "HTTP/2")
        let second = await transport.load(server.secureURL("a"))
        #expect(second.metrics.connectionReused)
        #expect(second.metrics.tls == nil)
    }

    @Test func `a certificate that no one vouches for is refused, unless its host is trusted`()
        async
    {
        let strict = CurlTransport()
        let refused = await strict.load(server.secureURL("a"))
        guard case .tls = refused.error else {
            Issue.record("\(String(describing: refused.error))")
            return
        }
        var settings = TransferSettings.patient
        settings.trustedHosts = ["localhost"]
        let trusted = await strict.load(server.secureURL("a"), settings: settings)
        #expect(trusted.error == nil)
        // A connection trusted by one transfer is not shared with another one that has other
        // settings.
        let again = await strict.load(server.secureURL("a"))
        #expect(again.error != nil)
    }

    @Test func `HTTP/2 carries many transfers over one connection`() async {
        let recorders = (0..<40).map { _ in TransferRecorder() }
        for recorder in recorders {
            _ = transport.start(
                URLRequest(url: server.secureURL("a")),
                settings: .patient,
                handler: recorder
            )
        }
        var connections: Set<String> = []
        for recorder in recorders {
            let outcome = await recorder.outcome()
            #expect(outcome.error == nil)
            #expect(outcome.hasBody(bytes))
            connections.insert(outcome.response?.value(for: "X-Connection") ?? "none")
        }
        #expect(connections.count == 1)
    }

    @Test func `a cancelled stream leaves its connection to the others`() async {
        let slow = TransferRecorder()
        let transfer = transport.start(
            URLRequest(url: server.secureURL("slow/a")),
            settings: .patient,
            handler: slow
        )
        await slow.wait { $0.contains(.response(200)) }
        transfer.cancel()
        #expect(await slow.outcome().error?.isCancellation == true)
        let next = await transport.load(server.secureURL("a"))
        #expect(next.error == nil)
        #expect(next.metrics.connectionReused)
    }

    @Test func `a compressed body arrives decoded, its length unknown`() async throws {
        let text = Data(String(repeating: "all work and no play ", count: 5000).utf8)
        try server.serve(text, at: "text")
        let outcome = await transport.load(server.url("text"))
        #expect(outcome.hasBody(text))
        #expect(outcome.response?.value(for: "Content-Encoding") == "gzip")
        #expect(outcome.response?.expectedLength == nil)
        #expect(outcome.metrics.bytes == text.count)
        #expect(outcome.metrics.wireBytes < text.count / 10)
    }

    @Test func `a small compressed body cannot unpack beyond the limit`() async throws {
        try server.serve(Data(count: 8 << 20), at: "bomb")
        var settings = TransferSettings.patient
        settings.maxBodyBytes = 1 << 20
        let outcome = await transport.load(server.url("bomb"), settings: settings)
        guard case .bodyTooLarge = outcome.error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        #expect(outcome.body.count <= 1 << 20)
    }

    @Test func `a range is a part of the body`() async {
        var request = URLRequest(url: server.url("a"))
        request.setValue("bytes=100-199", forHTTPHeaderField: "Range")
        let recorder = TransferRecorder()
        _ = transport.start(request, settings: .patient, handler: recorder)
        let outcome = await recorder.outcome()
        #expect(outcome.response?.statusCode == 206)
        #expect(outcome.body == bytes[100..<200])
    }

    @Test func `a password opens a protected file`() async {
        let recorder = TransferRecorder(challenge: { challenge, reply in
            let isRight = challenge.realm == "vault" && challenge.scheme == .basic
            reply(isRight ? TransferCredential(user: "me", password: "pw") : nil)
        })
        let outcome = await transport.load(server.secureURL("secret/a"), recorder: recorder)
        #expect(outcome.response?.statusCode == 200)
        #expect(outcome.hasBody(bytes))
    }
}
