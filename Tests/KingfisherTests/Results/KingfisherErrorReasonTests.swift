import Foundation
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The reasons that an app can show to its users.
struct KingfisherErrorReasonTests {
    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://host.test/a.jpg?token=secret"))
    }

    @Test func `every case has a reason of one sentence, without advice, URLs and paths`() throws {
        let samples = try KingfisherErrorTextTests.samples()
        for error in samples.map(\.error) + transfers.map({ failure($0) }) {
            let reason = try #require(error.failureReason)
            #expect(reason.hasSuffix(".") && reason.count(where: { $0 == "." }) <= 2, "\(reason)")
            #expect(reason.count <= 60, "\(reason)")
            for word in ["://", "/", "delegate", "Check", "Try", "Use ", "retry", "processor"] {
                #expect(!reason.contains(word), "\(reason)")
            }
        }
    }

    @Test(arguments: [
        (403, "The server answered 403 Forbidden."), (404, "The server answered 404 Not Found."),
        (503, "The server answered 503 Service Unavailable."),
        (302, "The server sent an unusable response."),
    ])
    func `a status is given with its name`(status: Int, reason: String) throws {
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        )
        let error = KingfisherError.responseError(
            reason: .invalidHTTPStatusCode(response: response)
        )
        #expect(error.failureReason == reason)
    }

    @Test func `a failed transfer names the host at most`() {
        let expected = [
            "There is no network connection.", "The server “host.test” was not found.",
            "The server “host.test” cannot be reached.",
            "The server “host.test” took too long to answer.", "The connection was lost.",
            "The image is too large.", "The image is not loaded over a metered network.",
            "There is no secure connection to the server.", "Loading was cancelled.",
        ]
        #expect(transfers.map { failure($0).failureReason } == expected)
        #expect(
            transfers.map { failure(URLError($0)).failureReason } == expected,
            "as an error of Foundation"
        )
    }

    // An image beyond the limits has a reason of its own, unless files are decoded in worker
    // processes, as other tests may have arranged: UndecodableReasonTests.
    @Test func `bytes that are no image, or a part of one, have the same reason`() {
        let jpeg = TestImage.jpeg()
        let reason = "The file is not an image, or it is damaged."
        #expect(undecodable(Data("<html>".utf8)) == reason)
        #expect(undecodable(jpeg.prefix(jpeg.count / 2)) == reason)
    }

    @Test func `of several sources the last one's reason is given`() {
        let failures = [
            TransferError.redirectLoop(url: url), .connectionLost(reason: "", url: url),
        ]
        let error = KingfisherError.imageSettingError(
            reason: .alternativeSourcesExhausted(
                failures.map { PropagationError(source: .network(url), error: failure($0)) }
            )
        )
        #expect(error.failureReason == "The connection was lost.")
    }

    @Test func `a vanished file does not exist`() async throws {
        let folder = try TemporaryDirectory()
        let bench = try TestBench()
        let provider = LocalFileImageDataProvider(fileURL: folder.file("a.jpg"))
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: .provider(provider))
        }
        #expect(error?.failureReason == "The file does not exist.")
    }

    // MARK: Errors

    private var transfers: [TransferError] {
        [
            .notConnected(host: "host.test", url: url), .cannotResolve(host: "host.test", url: url),
            .cannotConnect(host: "host.test", reason: "refused", url: url),
            .timedOut(.idle, limit: .seconds(15), url: url),
            .truncatedBody(received: 3, expected: nil, url: url), .bodyTooLarge(limit: 9, url: url),
            .rejected(reason: ConstrainedNetworkError(), url: url),
            .tls(.certificateUntrusted, reason: "it is not trusted", url: url), .cancelled,
        ]
    }

    private func failure(_ error: any Error) -> KingfisherError {
        .responseError(reason: .URLSessionError(error: error))
    }

    private func undecodable(_ data: Data) -> String? {
        KingfisherError.processorError(
            reason: .processingFailed(processor: DefaultImageProcessor.default, item: .data(data))
        ).failureReason
    }
}
