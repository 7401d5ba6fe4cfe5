import Foundation
import TestSupport
import Testing

@_spi(Programs) @testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Which servers are trusted, when a responder is called, and which client certificate is sent.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: NginxServer.isAvailable, "needs nginx and openssl: Scripts/bootstrap.sh --tests")
)
struct CurlTrustTests {
    private let authority: TestAuthority
    private let server: NginxServer
    private let transport = CurlTransport()

    init() throws {
        authority = try TestAuthority()
        server = try NginxServer(authority: authority)
        try server.serve(Data("body".utf8), at: "a")
    }

    private func settings(
        owner: UInt64? = nil,
        trustsRoot: Bool = true
    ) throws -> TransferSettings {
        var settings = TransferSettings.patient
        if trustsRoot { settings.certificateAuthorities = try authority.pem(.root) }
        settings.trustOwner = owner
        return settings
    }

    /// A recorder that always makes the same decision and records the questions.
    private func recorder(
        _ decision: ServerTrustDecision,
        _ asked: Locked<[ServerTrust]> = Locked([])
    ) -> TransferRecorder {
        TransferRecorder(trust: { trust, reply in
            asked.change { $0.append(trust) }
            reply(decision)
        })
    }

    // MARK: Authorities

    @Test func `authorities of a transfer stand in for the system's, and for it alone`()
        async throws
    {
        let url = server.secureURL("a")
        let refused = await transport.load(url)
        #expect(refused.error?.tlsFault == .unknownAuthority)
        let trusted = await transport.load(url, settings: try settings())
        #expect(trusted.error == nil)
        #expect(trusted.hasBody(Data("body".utf8)))
        let again = await transport.load(url)
        #expect(again.error?.tlsFault == .unknownAuthority)
        var others = try settings()
        others.certificateAuthorities = try TestAuthority().pem(.root)
        let foreign = await transport.load(url, settings: others)
        #expect(foreign.error?.tlsFault == .unknownAuthority)
    }

    @Test func `authorities that are none are an error`() async throws {
        var settings = try settings()
        settings.certificateAuthorities = Data("no certificate".utf8)
        let outcome = await transport.load(server.secureURL("a"), settings: settings)
        #expect(outcome.error?.tlsFault != nil)
    }

    // MARK: The client's certificate

    @Test func `a client shows its certificate to the host that it is for`() async throws {
        let server = try NginxServer(authority: authority, asksForClient: true)
        try server.serve(Data("body".utf8), at: "a")
        let own = ClientCertificate(
            certificate: try authority.pem(.client),
            privateKey: try authority.key(.client)
        )
        var settings = try settings()
        settings.clientCertificates = ["localhost": own]
        let welcome = await transport.load(server.secureURL("a"), settings: settings)
        #expect(welcome.error == nil)
        #expect(welcome.response?.statusCode == 200)
        settings.clientCertificates = ["elsewhere.test": own]
        let unknown = await transport.load(server.secureURL("a"), settings: settings)
        #expect(unknown.response?.statusCode == 400)
    }

    @Test func `a certificate without its key is an error of the client's`() async throws {
        var settings = try settings()
        settings.clientCertificates["localhost"] = ClientCertificate(
            certificate: try authority.pem(.client),
            privateKey: try authority.key(.root)
        )
        let outcome = await transport.load(server.secureURL("a"), settings: settings)
        #expect(outcome.error?.tlsFault == .clientCertificate)
        #expect(!"\(settings)".contains("PRIVATE"))
        #expect(!"\(settings)".contains("privateKey"))
    }

    // MARK: Questions

    @Test func `a responder sees the chain, and the hashes that openssl sees`() async throws {
        let asked = Locked<[ServerTrust]>([])
        let outcome = await transport.load(
            server.secureURL("a"),
            settings: try settings(owner: 1),
            recorder: recorder(.performDefaultHandling, asked)
        )
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(Data("body".utf8)))
        let trust = try #require(asked.value.first)
        #expect(asked.value.count == 1)
        #expect(trust.host == "localhost")
        #expect(trust.port == server.secureURL("a").port)
        #expect(trust.isTrusted)
        let chain: [TestAuthority.Certificate] = [.server, .intermediate, .root]
        let hashes = try chain.map(authority.publicKeyHash)
        #expect(trust.certificates.map(\.publicKeyHash) == hashes)
        #expect(trust.isTrusted(withPublicKeyIn: [hashes[1]]))
        #expect(!trust.isTrusted(withPublicKeyIn: [try authority.publicKeyHash(.client)]))
    }

    @Test func `a chain without a trusted authority matches no pin`() async throws {
        let asked = Locked<[ServerTrust]>([])
        let outcome = await transport.load(
            server.secureURL("a"),
            settings: try settings(owner: 1, trustsRoot: false),
            recorder: recorder(.performDefaultHandling, asked)
        )
        #expect(outcome.error?.tlsFault == .unknownAuthority)
        let trust = try #require(asked.value.first)
        #expect(trust.fault == .unknownAuthority)
        let own = try authority.publicKeyHash(.server)
        #expect(trust.certificates.first?.publicKeyHash == own)
        #expect(!trust.isTrusted(withPublicKeyIn: [own]))
    }

    @Test func `a certificate for another host is not trusted`() async throws {
        let named = server.secureURL("a").absoluteString
        let url = try #require(
            URL(string: named.replacingOccurrences(of: "localhost", with: "127.0.0.1"))
        )
        let asked = Locked<[ServerTrust]>([])
        let outcome = await transport.load(
            url,
            settings: try settings(owner: 1),
            recorder: recorder(.performDefaultHandling, asked)
        )
        #expect(outcome.error?.tlsFault == .certificateUntrusted)
        #expect(asked.value.map(\.fault) == [.certificateUntrusted])
        let accepted = await transport.load(
            url,
            settings: try settings(owner: 2),
            recorder: recorder(.accept)
        )
        #expect(accepted.error == nil)
    }

    @Test func `a refused server gets no request`() async throws {
        let refusing = recorder(.refuse)
        let outcome = await transport.load(
            server.secureURL("a"),
            settings: try settings(owner: 1),
            recorder: refusing
        )
        #expect(outcome.error?.tlsFault == .certificateUntrusted)
        #expect(refusing.events == [.trust(3), .finish])
    }

    @Test func `an accepted certificate holds for the next connection, and for its owner only`()
        async throws
    {
        let url = server.secureURL("a")
        let asked = Locked<[ServerTrust]>([])
        for _ in 0..<3 {
            let outcome = await transport.load(
                url,
                settings: try settings(owner: 1, trustsRoot: false),
                recorder: recorder(.accept, asked)
            )
            #expect(outcome.error == nil)
        }
        #expect(asked.value.count == 1)
        let stranger = await transport.load(
            url,
            settings: try settings(owner: 2, trustsRoot: false),
            recorder: recorder(.refuse, asked)
        )
        #expect(stranger.error != nil)
        #expect(asked.value.count == 2)
        let nobody = await transport.load(url)
        #expect(nobody.error?.tlsFault == .unknownAuthority)
    }

    @Test func `hosts that are trusted unchecked still are, if the responder leaves it open`()
        async throws
    {
        var settings = try settings(owner: 1, trustsRoot: false)
        settings.trustedHosts = ["localhost"]
        let open = await transport.load(
            server.secureURL("a"),
            settings: settings,
            recorder: recorder(.performDefaultHandling)
        )
        #expect(open.error == nil)
    }

    @Test func `an answer may come late, and a cancel before it`() async throws {
        let reply = Locked<[@Sendable (ServerTrustDecision) -> Void]>([])
        let asked = [Gate(), Gate()]
        let slow = TransferRecorder(trust: { _, answer in
            reply.change { $0.append(answer) }
            asked[0].open()
        })
        let transfer = transport.start(
            URLRequest(url: server.secureURL("a")),
            settings: try settings(owner: 1),
            handler: slow
        )
        await asked[0].wait()
        reply.value.first?(.performDefaultHandling)
        let outcome = await slow.outcome()
        #expect(outcome.error == nil)
        _ = transfer
        let other = TransferRecorder(trust: { _, answer in
            reply.change { $0.append(answer) }
            asked[1].open()
        })
        let cancelled = transport.start(
            URLRequest(url: server.secureURL("a")),
            settings: try settings(owner: 2),
            handler: other
        )
        await asked[1].wait()
        cancelled.cancel()
        #expect(await other.outcome().error?.isCancellation == true)
        reply.value.last?(.accept)
    }

    @Test func `another certificate than the approved one is a question again`() async throws {
        let wrong = ServerCertificate(der: Data([1, 2, 3]), publicKeyInfo: Data([4]))
        let url = server.secureURL("a")
        let key = CurlApprovals.Key(owner: 1, origin: url.origin)
        let mailbox = CurlMailbox()
        Thread {
            let loop = CurlLoop(mailbox: mailbox, configuration: .init(), threads: .system)
            let trust = ServerTrust(host: "localhost", port: 1, certificates: [wrong], fault: nil)
            loop.environment.approvals[key] = .init(trust, acceptsUntrusted: true)
            loop.run()
        }.start()
        defer { mailbox.end() }
        let refusing = recorder(.refuse)
        let order = CurlOrder(
            transfer: CurlTransfer(id: 1, mailbox: mailbox),
            request: URLRequest(url: url),
            settings: try settings(owner: 1),
            handler: refusing,
            time: .now
        )
        mailbox.post(.start(order))
        #expect(await refusing.outcome().error?.tlsFault == .certificateUntrusted)
        #expect(refusing.events == [.trust(3), .finish])
    }
}

extension TransferError {
    var tlsFault: TLSFault? { if case .tls(let fault, _, _) = self { fault } else { nil } }
}
