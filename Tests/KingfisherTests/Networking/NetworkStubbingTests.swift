import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization
import TestSupport
import Testing

/// A network stub as programs for Apple's platforms write it: answers by URL.
private final class StubProtocol: URLProtocol {
    enum Answer {
        case reply(status: Int, fields: [String: String], body: [Data])
        case failure(any Error)
        case redirect(URL)
        case silence
    }

    struct State {
        var answers: [URL: Answer] = [:]
        var requests: [URLRequest] = []
        var stopped: [URL] = []
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    static let state = Mutex(State())

    /// Changes the state and wakes every waiter so that it checks its condition again.
    @discardableResult
    private static func change<T: Sendable>(_ body: (inout sending State) -> T) -> T {
        let (result, waiters) = state.withLock { state -> (T, [CheckedContinuation<Void, Never>]) in
            defer { state.waiters = [] }
            return (body(&state), state.waiters)
        }
        for waiter in waiters { waiter.resume() }
        return result
    }

    /// Suspends until the state satisfies a condition.
    static func wait(until isReached: @Sendable (State) -> Bool) async {
        while !state.withLock({ isReached($0) }) {
            await withCheckedContinuation { continuation in
                let isLate = state.withLock { state in
                    guard !isReached(state) else { return true }
                    state.waiters.append(continuation)
                    return false
                }
                if isLate { continuation.resume() }
            }
        }
    }

    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host?.hasSuffix(".stub") == true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let answer = Self.change { state in
            state.requests.append(request)
            return state.answers[url]
        }
        switch answer {
        case .reply(let status, let fields, let body): reply(url, status, fields, body)
        case .failure(let error): client?.urlProtocol(self, didFailWithError: error)
        case .redirect(let target): redirect(from: url, to: target)
        case .silence, nil: break
        }
    }

    private func reply(_ url: URL, _ status: Int, _ fields: [String: String], _ body: [Data]) {
        let response = HTTPURLResponse(
            url: url,
            statusCode: status,
            httpVersion: "HTTP/1.1",
            headerFields: fields
        )
        guard let response else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        for part in body { client?.urlProtocol(self, didLoad: part) }
        client?.urlProtocolDidFinishLoading(self)
    }

    private func redirect(from url: URL, to target: URL) {
        let response = HTTPURLResponse(
            url: url,
            statusCode: 302,
            httpVersion: "HTTP/1.1",
            headerFields: ["Location": target.absoluteString]
        )
        guard let response else { return }
        let next = URLRequest(url: target)
        client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
    }

    override func stopLoading() {
        guard let url = request.url else { return }
        Self.change { $0.stopped.append(url) }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct NetworkStubbingTests {
    let downloader: ImageDownloader
    let host = "\(UInt64.random(in: 0 ... .max)).stub"
    let png: Data

    init() throws {
        downloader = ImageDownloader(name: "stubbed")
        downloader.resumption = nil
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubProtocol.self]
        downloader.sessionConfiguration = configuration
        let image = KFCrossPlatformImage(
            premultipliedRGBA: Data(repeating: 255, count: 96),
            width: 6,
            height: 4
        )
        png = try #require(image?.kf.pngRepresentation())
    }

    private func url(_ path: String) throws -> URL {
        try #require(URL(string: "http://\(host)/\(path)"))
    }

    private func answer(_ path: String, _ answer: StubProtocol.Answer) throws -> URL {
        let url = try url(path)
        StubProtocol.state.withLock { $0.answers[url] = answer }
        return url
    }

    private func underlying(_ url: URL) async -> (any Error)? {
        do {
            _ = try await downloader.downloadImage(with: url)
            return nil
        } catch KingfisherError.responseError(reason: .URLSessionError(let error)) {
            return error
        } catch {
            return error
        }
    }

    @Test func `a class in the configuration answers with its bytes`() async throws {
        let parts = [png.prefix(10), png.dropFirst(10)]
        let url = try answer("a", .reply(status: 200, fields: ["X-A": "b"], body: parts))
        let result = try await downloader.downloadImage(with: url)
        #expect(result.image.pixelWidth == 6)
        #expect(result.originalData == png)
    }

    @Test func `the class sees the headers of a request modifier`() async throws {
        let url = try answer("modified", .reply(status: 200, fields: [:], body: [png]))
        let modifier = AnyModifier { request in
            var request = request
            request.setValue("t", forHTTPHeaderField: "X-Token")
            return request
        }
        _ = try await downloader.downloadImage(with: url, options: [.requestModifier(modifier)])
        let request = StubProtocol.state.withLock { $0.requests.first { $0.url == url } }
        #expect(request?.value(forHTTPHeaderField: "X-Token") == "t")
    }

    @Test func `an error of the class arrives as it was made`() async throws {
        let lost = try answer("lost", .failure(URLError(.networkConnectionLost)))
        #expect((await underlying(lost) as? URLError)?.code == .networkConnectionLost)
        let own = NSError(domain: "stubs", code: 7, userInfo: ["a": "b"])
        let error = await underlying(try answer("own", .failure(own))) as? NSError
        #expect(error == own)
    }

    @Test func `a refused status is refused`() async throws {
        let url = try answer("gone", .reply(status: 404, fields: [:], body: [Data("no".utf8)]))
        await #expect {
            try await downloader.downloadImage(with: url)
        } throws: {
            ($0 as? KingfisherError)?.isInvalidResponseStatusCode(404) == true
        }
    }

    @Test func `a redirect leads to another stub, or back to the network`() async throws {
        let target = try answer("target", .reply(status: 200, fields: [:], body: [png]))
        let stubbed = try answer("from", .redirect(target))
        #expect(try await downloader.downloadImage(with: stubbed).originalData == png)

        let server = try ImageServer()
        let bytes = png
        server.route("/real") { _ in .body(bytes) }
        let real = try answer("out", .redirect(server.url("/real")))
        #expect(try await downloader.downloadImage(with: real).originalData == png)
    }

    @Test func `a redirect to a file is refused`() async throws {
        let url = try answer("file", .redirect(URL(fileURLWithPath: "/etc/hostname")))
        #expect((await underlying(url) as? URLError)?.code == .unsupportedURL)
    }

    @Test func `a redirect handler decides about the stub's redirect`() async throws {
        let target = try answer("unwanted", .reply(status: 200, fields: [:], body: [png]))
        let url = try answer("asked", .redirect(target))
        let refusing = AnyRedirectHandler { _, _, _, reply in reply(nil) }
        await #expect(throws: KingfisherError.self) {
            try await downloader.downloadImage(with: url, options: [.redirectHandler(refusing)])
        }
        #expect(StubProtocol.state.withLock { !$0.requests.contains { $0.url == target } })
    }

    @Test func `a stub that stays silent times out`() async throws {
        downloader.downloadTimeout = 0.1
        let url = try answer("silent", .silence)
        #expect((await underlying(url) as? URLError)?.code == .timedOut)
    }

    @Test func `a cancelled download stops its stub`() async throws {
        let url = try answer("cancelled", .silence)
        let download = Task { try await downloader.downloadImage(with: url) }
        await StubProtocol.wait { state in state.requests.contains { $0.url == url } }
        download.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await download.value }
        #expect(error?.isTaskCancelled == true)
        // The stub runs on its own thread, and the download does not wait for it.
        await StubProtocol.wait { $0.stopped.contains(url) }
    }

    @Test func `a body above the limit is refused`() async throws {
        downloader.transferSettings.maxBodyBytes = 20
        let url = try answer("large", .reply(status: 200, fields: [:], body: [png]))
        #expect((await underlying(url) as? URLError)?.code == .dataLengthExceedsMaximum)
    }

    @Test func `requests that no class takes go to the network`() async throws {
        let server = try ImageServer()
        let bytes = png
        server.route("/a") { _ in .body(bytes) }
        #expect(try await downloader.downloadImage(with: server.url("/a")).originalData == png)
    }
}

/// Answers one URL from a fake and sends everything else to the network, because the default
/// transport is shared with suites that run in parallel.
private struct OnlyOneURL: HTTPTransport {
    let url: URL
    let fake = FakeTransport()
    // Kept for the process, because releasing it would end transfers of other tests.
    private static let network = CurlTransport()

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        let transport: any HTTPTransport = request.url == url ? fake : Self.network
        return transport.start(request, settings: settings, handler: handler)
    }
}

@Suite(.serialized)
struct DefaultTransportTests {
    @Test(.timeLimit(.minutes(1)))
    func `the default transport serves downloaders that have none of their own`() async throws {
        let url = try #require(URL(string: "http://whole.program.invalid/a.png"))
        let (network, own) = (OnlyOneURL(url: url), FakeTransport())
        network.fake.answer(url, with: .picture(.solid(.red, width: 3, height: 2)))
        own.answer(url, with: .picture(.solid(.red, width: 5, height: 2)))
        let before = ImageDownloader(name: "made before")
        let apart = ImageDownloader(name: "apart", transport: own)
        let (first, second) = try await ImageDownloader.withDefaultTransport(network) {
            (
                try await before.downloadImage(with: url).image.pixelWidth,
                try await apart.downloadImage(with: url).image.pixelWidth
            )
        }
        #expect(first == 3)
        #expect(second == 5)
        #expect(ImageDownloader.defaultTransport == nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a transfer outlives the time of its transport`() async throws {
        let server = try ImageServer()
        let gate = ServerGate()
        let jpeg = TestImage.jpeg()
        server.route("/held", .held(gate, then: .body(jpeg)))
        let routes = RoutedTransport(FakeTransport(), yieldsToProcess: true)
        let recorder = TransferRecorder()
        await ImageDownloader.withDefaultTransport(CurlTransport()) {
            _ = routes.start(
                URLRequest(url: server.url("/held")),
                settings: .patient,
                handler: recorder
            )
            await server.received(1)
        }
        gate.open()
        let outcome = await recorder.outcome()
        #expect(outcome.error == nil)
        #expect(outcome.hasBody(jpeg))
    }
}
