import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Network failures are Foundation's errors, as code written for `URLSession` expects.
@Suite(.timeLimit(.minutes(1)))
struct URLErrorTests {
    static let url = URL(filePath: "/a.png")

    static let codes: [(TransferError, URLError.Code)] = [
        (.cancelled, .cancelled),
        (.invalidRequest(reason: "", url: url), .badURL),
        (.unsupportedScheme("ftp", url: url), .unsupportedURL),
        (.cannotResolve(host: "h", url: url), .cannotFindHost),
        (.cannotConnect(host: "h", reason: "", url: url), .cannotConnectToHost),
        (.notConnected(host: "h", url: url), .notConnectedToInternet),
        (.addressRefused(address: "10.0.0.1", range: .privateUse, url: url), .cannotConnectToHost),
        (.tls(.handshake, reason: "", url: url), .secureConnectionFailed),
        (.tls(.certificateExpired, reason: "", url: url), .serverCertificateHasBadDate),
        (.tls(.certificateNotYetValid, reason: "", url: url), .serverCertificateNotYetValid),
        (.tls(.unknownAuthority, reason: "", url: url), .serverCertificateHasUnknownRoot),
        (.tls(.certificateUntrusted, reason: "", url: url), .serverCertificateUntrusted),
        (.tls(.clientCertificate, reason: "", url: url), .clientCertificateRejected),
        (.timedOut(.idle, limit: .seconds(1), url: url), .timedOut),
        (.tooManyRedirects(limit: 1, url: url), .httpTooManyRedirects),
        (.redirectLoop(url: url), .httpTooManyRedirects),
        (.redirectRefused(target: "file", url: url), .unsupportedURL),
        (.bodyTooLarge(limit: 1, url: url), .dataLengthExceedsMaximum),
        (.cannotKeepBody(reason: "", url: url), .cannotWriteToFile),
        (.truncatedBody(received: 1, expected: 2, url: url), .networkConnectionLost),
        (.connectionLost(reason: "", url: url), .networkConnectionLost),
        (.badResponse(reason: "", url: url), .badServerResponse),
        (.rejected(reason: ConstrainedNetworkError(), url: url), .notConnectedToInternet),
        (.rejected(reason: URLError(.badURL), url: url), .badURL),
        (.curl(code: 1, message: "", url: url), .unknown),
    ]

    @Test(arguments: codes)
    func `each failure has Foundation's code`(error: TransferError, code: URLError.Code) {
        #expect(URLError(error).code == code)
        #expect((URLError(error) as NSError).domain == NSURLErrorDomain)
        #expect((URLError(error) as NSError).code == code.rawValue)
    }

    @Test func `the detail stays reachable and holds no password`() throws {
        let url = try #require(URL(string: "http://me:pw@host.invalid/a.png"))
        let error = URLError(.cannotResolve(host: "host.invalid", url: url))
        let inner = try #require(error.userInfo[NSUnderlyingErrorKey] as? TransferError)
        guard case .cannotResolve(host: "host.invalid", _) = inner else {
            Issue.record("\(inner)")
            return
        }
        #expect(error.localizedDescription.contains("host.invalid"))
        #expect(!error.localizedDescription.contains("pw"))
        #expect(error.failingURL?.absoluteString == "http://host.invalid/a.png")
    }

    private func failure(
        _ url: String,
        timeout: TimeInterval = 30
    ) async throws -> KingfisherError? {
        let url = try #require(URL(string: url))
        let downloader = ImageDownloader(name: "URLError")
        downloader.downloadTimeout = timeout
        do {
            _ = try await downloader.downloadImage(with: url)
            return nil
        } catch {
            return error as? KingfisherError
        }
    }

    private func code(_ error: KingfisherError?) -> URLError.Code? {
        guard case .responseError(.URLSessionError(let error)) = error else { return nil }
        return (error as? URLError)?.code
    }

    @Test func `a port where nothing listens cannot be connected to`() async throws {
        let error = try await failure("http://127.0.0.1:\(try ImageServer.freePort())/")
        #expect(code(error) == .cannotConnectToHost)
        #expect(error?.transferError?.isTransient == true)
    }

    @Test func `an address without a route is no connection`() async throws {
        // Linux refuses TCP to a multicast address without sending a packet.
        let error = try await failure("http://224.0.0.1/")
        #expect(code(error) == .notConnectedToInternet)
    }

    @Test func `a server that stays silent times out`() async throws {
        let server = try ImageServer()
        let gate = ServerGate()
        defer { gate.open() }
        server.route("/") { _ in .held(gate, then: .status(200)) }
        #expect(code(try await failure(server.url("/").absoluteString, timeout: 0.2)) == .timedOut)
    }

    @Test func `an answer that is not HTTP is a bad response`() async throws {
        let server = try ImageServer()
        server.route("/") { _ in ServerReply(steps: [.send(Data("GARBAGE\r\n\r\n".utf8)), .close]) }
        #expect(code(try await failure(server.url("/").absoluteString)) == .badServerResponse)
    }

    @Test(
        .enabled(
            if: NginxServer.isAvailable,
            "needs nginx and openssl: Scripts/bootstrap.sh --tests"
        )
    )
    func `a self-signed certificate has an unknown root`() async throws {
        let server = try NginxServer()
        try server.serve(Data("x".utf8), at: "a")
        let error = try await failure(server.secureURL("a").absoluteString)
        #expect(code(error) == .serverCertificateHasUnknownRoot)
    }
}
