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
            check(false, "what is missing stays missing")
        } catch let error as KingfisherError {
            check(error.isInvalidResponseStatusCode(404), "what is missing stays missing")
        }
        check(exhibition.requests.count == 6, "after three attempts")

        let elsewhere = exhibition.url("/copy.jpg")
        let result = try await manager.retrieveImage(
            with: exhibition.url("/missing.jpg"),
            options: [.alternativeSources([.network(elsewhere)])]
        )
        check(result.source.url == elsewhere, "another place has it")
        check(result.originalSource.url?.path == "/missing.jpg", "and the result tells both")
    }
}
