import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Request modifiers, authentication challenges and custom transports.
@Suite(.timeLimit(.minutes(1)))
struct DownloadModifierTests {
    private let transport = FakeTransport()
    private let downloader: ImageDownloader
    private let url: URL

    init() throws {
        downloader = ImageDownloader(name: "fake", transport: transport)
        downloader.resumption = nil
        url = try #require(URL(string: "http://host/a.jpg"))
    }

    private static func adding(_ value: String) -> AnyModifier {
        AnyModifier { request in
            var request = request
            request.addValue(value, forHTTPHeaderField: "X-By")
            return request
        }
    }

    @Test func `MOD-1: of several modifiers the last one is asked`() {
        let task = downloader.downloadImage(
            with: url,
            options: [
                .requestModifier(Self.adding("one")), .requestModifier(Self.adding("two")),
            ]
        ) { _ in }
        #expect(transport.requests.first?.value(forHTTPHeaderField: "X-By") == "two")
        task.cancel()
    }

    @Test func `MOD-1: a modifier that is both kinds is taken for the synchronous one`() {
        let task = downloader.downloadImage(
            with: url,
            options: [.requestModifier(BothKinds())]
        ) { _ in }
        // It was sent before the method returned.
        #expect(transport.requests.first?.value(forHTTPHeaderField: "X-By") == "sync")
        task.cancel()
    }

    @Test func `MOD-3: the downloader answers challenges unless a responder is set`() {
        #expect(downloader.authenticationChallengeResponder === downloader)
        do {
            let keyring = Keyring()
            downloader.authenticationChallengeResponder = keyring
            #expect(downloader.authenticationChallengeResponder === keyring)
        }
        #expect(downloader.authenticationChallengeResponder == nil)
    }

    @Test func `MOD-3: a responder is asked with realm and failures, and without one 401 stays`()
        async throws
    {
        let bench = try TestBench()
        let jpeg = TestImage.jpeg(width: 20, height: 10)
        let expected = "Basic " + Data("anna:secret".utf8).base64EncodedString()
        bench.server.route("/a.jpg") { request in
            guard request.value(for: "Authorization") != expected else {
                return .body(jpeg, type: "image/jpeg")
            }
            return .status(401, fields: [("WWW-Authenticate", "Basic realm=\"vault\"")])
        }
        let url = bench.server.url("/a.jpg")
        let refused = await #expect(throws: KingfisherError.self) {
            try await bench.downloader.downloadImage(with: url)
        }
        #expect(refused?.isInvalidResponseStatusCode(401) == true)
        let keyring = Keyring()
        bench.downloader.authenticationChallengeResponder = keyring
        _ = try await bench.downloader.downloadImage(with: url)
        #expect(keyring.asked.value == ["vault 0", "vault 1"])
    }

    @Test func `MOD-3: trusted hosts reach the transport`() throws {
        downloader.trustedHosts = ["Example.org"]
        let task = downloader.downloadImage(with: url, options: []) { _ in }
        #expect(try transport.transfer(0).settings.trustedHosts == ["example.org"])
        task.cancel()
    }

    @Test func `DL-42, W-48: a transport around another changes one thing and keeps the rest`()
        async throws
    {
        let bench = try TestBench()
        let target = bench.serveJPEG("/b.jpg")
        bench.server.route("/a.jpg", .redirect(to: "/b.jpg"))
        let downloader = ImageDownloader(name: "own", transport: Stamping(CurlTransport()))
        downloader.resumption = nil
        let result = try await downloader.downloadImage(with: bench.server.url("/a.jpg"))
        #expect(result.image.pixelWidth == 64)
        #expect(result.metrics?.redirectCount == 1)
        #expect(bench.server.requests.map { $0.value(for: "X-Stamp") } == ["1", "1"])
        #expect(bench.server.requests.last?.path == target.path)
    }

    @Test func `W-48: a downloader of one's own can hand out a handle before it has a download`()
        async throws
    {
        let own = Delayed(name: "own", transport: transport)
        let ended = Locked(false)
        let handle = own.downloadImage(
            with: url,
            options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
        ) { _ in ended.change { $0 = true } }
        #expect(!handle.isInitialized)
        own.begin()
        #expect(handle.isInitialized)
        handle.cancel()
        while !ended.value { await Task.yield() }
        #expect(try transport.transfer(0).isCancelled)
    }
}

private struct BothKinds: ImageDownloadRequestModifier {
    func modified(for request: URLRequest) -> URLRequest? { stamped(request, "sync") }

    func modified(for request: URLRequest) async -> URLRequest? { stamped(request, "async") }

    private func stamped(_ request: URLRequest, _ value: String) -> URLRequest {
        var request = request
        request.setValue(value, forHTTPHeaderField: "X-By")
        return request
    }
}

/// Supplies the correct password at the second attempt.
private final class Keyring: AuthenticationChallengeResponsible, Sendable {
    let asked = Locked<[String]>([])

    func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let realm = challenge.protectionSpace.realm ?? ""
        asked.change { $0.append("\(realm) \(challenge.previousFailureCount)") }
        let password = challenge.previousFailureCount == 0 ? "guess" : "secret"
        return (
            .useCredential,
            URLCredential(user: "anna", password: password, persistence: .none)
        )
    }
}

/// Adds a header to every request and otherwise forwards to another transport.
private struct Stamping: HTTPTransport {
    private let transport: any HTTPTransport

    init(_ transport: any HTTPTransport) { self.transport = transport }

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        var request = request
        request.setValue("1", forHTTPHeaderField: "X-Stamp")
        return transport.start(request, settings: settings, handler: handler)
    }
}

/// Starts its downloads when the test releases them.
// `@unchecked` as its superclass; its own state is locked.
private final class Delayed: ImageDownloader, @unchecked Sendable {
    private let waiting = Locked<[@Sendable () -> Void]>([])

    override func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let handle = DownloadTask()
        waiting.change { waiting in
            waiting.append { handle.link(to: self.begin(url, options, completionHandler)) }
        }
        return handle
    }

    private func begin(
        _ url: URL,
        _ options: KingfisherParsedOptionsInfo,
        _ completion: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)?
    ) -> DownloadTask {
        super.downloadImage(with: url, options: options, completionHandler: completion)
    }

    func begin() { for work in waiting.value { work() } }
}
