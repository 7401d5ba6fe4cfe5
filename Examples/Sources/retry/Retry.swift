// Failures: retry, use another source, or apply a custom rule.
import Exhibition
import Foundation
import Kingfisher
import Synchronization

/// Retries only if the server is busy (status 503).
struct BusyServerStrategy: RetryStrategy {
    let attempts: Int

    func retry(
        context: RetryContext,
        retryHandler: @escaping @Sendable (RetryDecision) -> Void
    ) {
        print("       failed: \(context.error.localizedDescription)")
        let isBusy = context.error.isInvalidResponseStatusCode(503)
        retryHandler(isBusy && context.retriedCount < attempts ? .retry(userInfo: nil) : .stop)
    }
}

@main
struct Retry {
    static func main() async throws {
        let exhibition = try Exhibition()
        let manager = KingfisherManager(downloader: .default, cache: try temporaryCache())

        _ = try await manager.retrieveImage(
            with: exhibition.url("/flaky.jpg"),
            options: [.retryStrategy(BusyServerStrategy(attempts: 3))]
        )
        check(exhibition.requests.count == 3, "the third attempt succeeded")

        do {
            _ = try await manager.retrieveImage(
                with: exhibition.url("/missing.jpg"),
                options: [
                    .retryStrategy(DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0)))
                ]
            )
            check(false, "a missing image is not found at any attempt")
        } catch let error as KingfisherError {
            check(
                error.isInvalidResponseStatusCode(404),
                "a missing image is not found at any attempt"
            )
        }
        check(exhibition.requests.count == 6, "after three attempts")

        let elsewhere = exhibition.url("/copy.jpg")
        let result = try await manager.retrieveImage(
            with: exhibition.url("/missing.jpg"),
            options: [.alternativeSources([.network(elsewhere)])]
        )
        check(result.source.url == elsewhere, "the image comes from the alternative source")
        check(
            result.originalSource.url?.path == "/missing.jpg",
            "and the result names both sources"
        )
    }
}
