import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a responder gets to evaluate about a server, with Foundation's names.
@Suite(.timeLimit(.minutes(1)))
struct ServerTrustTests {
    private let transport = FakeTransport()
    private let downloader: ImageDownloader
    private let url: URL
    private let trust = ServerTrust(
        host: "pinned.test",
        port: 443,
        certificates: [
            ServerCertificate(der: Data([1]), publicKeyInfo: Data([2])),
            ServerCertificate(der: Data([3]), publicKeyInfo: Data([4])),
        ],
        fault: nil
    )

    init() throws {
        downloader = ImageDownloader(name: "trust", transport: transport)
        url = try #require(URL(string: "https://pinned.test/a.png"))
    }

    /// The decision of a downloader with this responder.
    private func decision(
        _ responder: (any AuthenticationChallengeResponsible)?
    ) async throws -> (decision: ServerTrustDecision, hasOwner: Bool) {
        downloader.authenticationChallengeResponder = responder
        let load = Task.immediate { [downloader, url] in
            try await downloader.downloadImage(with: url)
        }
        await transport.started(1)
        let transfer = try transport.transfer(0)
        let decision = await withCheckedContinuation { continuation in
            transfer.present(trust) { continuation.resume(returning: $0) }
        }
        transfer.complete(TestImage.png())
        _ = try await load.value
        return (decision, transfer.settings.trustOwner != nil)
    }

    @Test func `a responder pins the key of an intermediate`() async throws {
        let pinned = Pinning([trust.certificates[1].publicKeyHash])
        let (decision, hasOwner) = try await decision(pinned)
        #expect(decision == .accept)
        #expect(hasOwner)
        #expect(pinned.methods.value == ["NSURLAuthenticationMethodServerTrust"])
        #expect(pinned.hosts.value == ["pinned.test"])
    }

    @Test func `a responder refuses a server of other keys`() async throws {
        let (decision, _) = try await decision(Pinning([Data(count: 32)]))
        #expect(decision == .refuse)
    }

    @Test func `a credential for another server accepts nothing`() async throws {
        let other = ServerTrust(
            host: "pinned.test",
            port: 443,
            certificates: [ServerCertificate(der: Data([9]), publicKeyInfo: Data([9]))],
            fault: nil
        )
        let (decision, _) = try await decision(Mistaken(URLCredential(trust: other)))
        #expect(decision == .refuse)
    }

    @Test func `a responder for passwords alone leaves servers to the system`() async throws {
        final class Passwords: AuthenticationChallengeResponsible {}
        let (decision, _) = try await decision(Passwords())
        #expect(decision == .performDefaultHandling)
    }

    @Test func `without a responder the system decides`() async throws {
        let (decision, hasOwner) = try await decision(downloader)
        #expect(decision == .performDefaultHandling)
        #expect(!hasOwner)
    }

    @Test func `every responder has decisions of its own`() async throws {
        let (first, second) = (Pinning([]), Pinning([]))
        var owners: Set<UInt64> = []
        for responder in [first, second, first] {
            downloader.authenticationChallengeResponder = responder
            owners.insert(downloader.snapshot().trustOwner)
        }
        #expect(owners.count == 3)
    }
}

/// Written with Foundation's names, as for Apple's platforms.
private final class Pinning: AuthenticationChallengeResponsible {
    let methods = Locked<[String]>([])
    let hosts = Locked<[String]>([])
    private let pins: Set<Data>

    init(_ pins: Set<Data>) { self.pins = pins }

    func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        methods.change { $0.append(space.authenticationMethod) }
        hosts.change { $0.append(space.host) }
        guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
            let trust = space.serverTrust, trust.isTrusted(withPublicKeyIn: pins)
        else { return (.cancelAuthenticationChallenge, nil) }
        return (.useCredential, URLCredential(trust: trust))
    }
}

private final class Mistaken: AuthenticationChallengeResponsible {
    private let credential: URLCredential

    init(_ credential: URLCredential) { self.credential = credential }

    func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.useCredential, credential)
    }
}
