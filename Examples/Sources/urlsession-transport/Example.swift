// Downloads over URLSession instead of libcurl: an example of a custom transport.
import Exhibition
import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Knows the password of the exhibition's members.
final class Keyring: AuthenticationChallengeResponsible {
    func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.useCredential, URLCredential(user: "anna", password: "secret", persistence: .none))
    }
}

@main
struct Example {
    static func main() async throws {
        let exhibition = try Exhibition()
        let transport = URLSessionTransport()
        try await loadPictures(exhibition, transport)
        try await streamBody(transport)
        try await pauseTooLong(transport)
        try await failures(exhibition, transport)
        await manyCancels(exhibition, transport)
    }

    /// Loads as in any other program; only the downloader is created with the transport.
    static func loadPictures(
        _ exhibition: Exhibition,
        _ transport: URLSessionTransport
    ) async throws {
        let downloader = ImageDownloader(name: "session", transport: transport)
        let manager = KingfisherManager(downloader: downloader, cache: try temporaryCache())
        let photo = try await manager.retrieveImage(with: exhibition.url("/photo.jpg"))
        check(photo.image.size.width == 640, "an image was loaded through URLSession")

        let moved = try await manager.retrieveImage(with: exhibition.url("/moved.jpg"))
        check(moved.image.size.width == 640, "a redirect was followed")

        do {
            _ = try await manager.retrieveImage(with: exhibition.url("/missing.jpg"))
            check(false, "a missing image is an error")
        } catch let error as KingfisherError {
            check(error.isInvalidResponseStatusCode(404), "a missing image is an error")
        }

        let keyring = Keyring()
        downloader.authenticationChallengeResponder = keyring
        let members = try await manager.retrieveImage(with: exhibition.url("/members.jpg"))
        check(members.image.size.width == 640, "the password was requested and accepted")
        withExtendedLifetime(keyring) {}
    }

    /// Receives a body in chunks.
    ///
    /// A pause holds it back while other transfers continue.
    static func streamBody(_ transport: URLSessionTransport) async throws {
        let body = Data(repeating: 7, count: 8 << 20)
        let server = try LoopbackServer { path, _ in
            path == "/slow" ? .init(body: body) : .init(body: Data("quick".utf8))
        }
        defer { server.stop() }
        let large = Collector { $0.pause() }
        let transfer = transport.start(
            request(server.url("/slow")),
            settings: .init(),
            handler: large
        )
        await large.firstChunk()
        let before = large.byteCount
        let quick = Collector()
        _ = transport.start(request(server.url("/quick")), settings: .init(), handler: quick)
        check(await quick.end() == nil, "another transfer ended in the meantime")
        check(large.byteCount == before, "the paused transfer delivered nothing more")
        transfer.resume()
        check(await large.end() == nil, "it continued when it was resumed")
        check(large.byteCount == body.count, "and delivered \(body.count >> 20) MiB, in pieces")
    }

    /// URLSession continues to read during a pause, up to a limit.
    static func pauseTooLong(_ transport: URLSessionTransport) async throws {
        let body = Data(repeating: 7, count: 2 * SessionExchange.maxHeldBytes)
        let server = try LoopbackServer { _, _ in .init(body: body) }
        defer { server.stop() }
        let collector = Collector { $0.pause() }
        _ = transport.start(
            request(server.url("/large")),
            settings: .init(),
            handler: collector
        )
        let end = await collector.end()
        if case .cannotKeepBody = end {} else { check(false, "\(end as Any)") }
        check(true, "too much data during a pause is an error")
    }

    /// Errors are the same with every transport.
    static func failures(_ exhibition: Exhibition, _ transport: URLSessionTransport) async throws {
        let url = exhibition.url("/photo.jpg")
        var settings = TransferSettings()
        settings.maxBodyBytes = 100
        let tooLarge = await error(transport, url, settings)
        if case .bodyTooLarge(100, _) = tooLarge {} else { check(false, "\(tooLarge as Any)") }
        check(true, "a body over the limit is refused")

        let closed = try LoopbackServer { _, _ in nil }
        let nowhere = closed.url("/a")
        closed.stop()
        guard let target = URL(string: nowhere) else { return }
        let refused = await error(transport, target, TransferSettings())
        if case .cannotConnect = refused {} else { check(false, "\(refused as Any)") }
        check(true, "a connection to a stopped server fails")

        let broken = try LoopbackServer { _, _ in
            var answer = LoopbackServer.Answer(body: Data(repeating: 1, count: 100_000))
            answer.breaksOff = true
            return answer
        }
        defer { broken.stop() }
        guard let target = URL(string: broken.url("/a")) else { return }
        let lost = await error(transport, target, TransferSettings())
        check(
            lost?.isTransient == true,
            "half of a body is an error: \(lost.map { "\($0)" } ?? "")"
        )

        settings = TransferSettings()
        settings.addressPolicy = .publicOnly
        let guarded = await error(transport, url, settings)
        if case .invalidRequest = guarded {} else { check(false, "\(guarded as Any)") }
        check(true, "a request that cannot be checked is not sent")
    }

    /// Cancels at various moments: each transfer ends exactly once, without a crash.
    static func manyCancels(_ exhibition: Exhibition, _ transport: URLSessionTransport) async {
        var cancelled = 0
        for round in 0..<25 {
            let collectors = (0..<40).map { index in
                let moment = (round + index) % 4
                let collector = Collector { if moment == 3 { $0.cancel() } }
                let transfer = transport.start(
                    URLRequest(url: exhibition.url(index % 2 == 0 ? "/moved.jpg" : "/photo.jpg")),
                    settings: TransferSettings(),
                    handler: collector
                )
                if moment == 0 { transfer.cancel() }
                if moment == 1 { Task { transfer.cancel() } }
                return collector
            }
            for collector in collectors {
                if await collector.end()?.isCancellation == true { cancelled += 1 }
                if collector.endCount != 1 { check(false, "each transfer ends once") }
            }
        }
        check(cancelled >= 500, "1000 transfers ended once each, at least 500 of them cancelled")
    }

    private static func request(_ text: String) -> URLRequest {
        guard let url = URL(string: text) else { preconditionFailure("\(text) is not a URL") }
        return URLRequest(url: url)
    }

    private static func error(
        _ transport: URLSessionTransport,
        _ url: URL,
        _ settings: TransferSettings
    ) async -> TransferError? {
        let collector = Collector()
        _ = transport.start(URLRequest(url: url), settings: settings, handler: collector)
        return await collector.end()
    }
}
