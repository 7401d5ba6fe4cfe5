import ArgumentParser
import Foundation
import Kingfisher

/// The option of commands that repeat failed downloads.
struct RetryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How often a failed download is tried again, after 1, 2, 4 seconds and so on, or when the "
                + "server says; an image that the server refuses is not. --timeout is for all "
                + "attempts together.",
            valueName: "n"
        )
    )
    var retry = 0

    func validate() throws {
        if !(0...100).contains(retry) { throw ValidationError("--retry must be from 0 to 100") }
    }

    /// The options of the library.
    var options: KingfisherOptionsInfo { retry > 0 ? [.retryStrategy(Retries(retry))] : [] }
}

/// Repeats a failed download, unless the same answer would come again.
private struct Retries: RetryStrategy {
    private let strategy: DelayRetryStrategy

    /// - Parameter count: The most repetitions.
    init(_ count: Int) {
        strategy = DelayRetryStrategy(
            maxRetryCount: count,
            retryInterval: .custom { pow(2, Double(min($0, 6))) }
        )
    }

    func retry(
        context: RetryContext,
        retryHandler: @escaping @Sendable (RetryDecision) -> Void
    ) {
        guard Self.mayPass(context.lastError) else { return retryHandler(.stop) }
        strategy.retry(context: context, retryHandler: retryHandler)
    }

    /// Whether the server may answer otherwise in a moment.
    private static func mayPass(_ error: KingfisherError) -> Bool {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = error else {
            return true
        }
        // Request Timeout, Too Early, Too Many Requests, and errors of the server.
        return [408, 425, 429].contains(response.statusCode) || response.statusCode >= 500
    }
}
