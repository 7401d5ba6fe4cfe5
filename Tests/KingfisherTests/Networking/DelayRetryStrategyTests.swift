import Foundation
import TestSupport
import Testing

@testable import Kingfisher

struct DelayRetryStrategyTests {
    typealias Interval = DelayRetryStrategy.Interval

    /// Asks `times` times about the same error; returns the decisions and the pauses before them.
    private func ask(
        _ interval: Interval?,
        limit: Int,
        times: Int,
        _ error: KingfisherError = .responseError(
            reason: .URLSessionError(error: CancellationError())
        )
    ) -> (retries: [Bool], pauses: [TimeInterval]) {
        let pauses = Locked<[TimeInterval]>([])
        let retries = Locked<[Bool]>([])
        var strategy =
            interval.map { DelayRetryStrategy(maxRetryCount: limit, retryInterval: $0) }
            ?? DelayRetryStrategy(maxRetryCount: limit)
        strategy.schedule = { seconds, body in
            pauses.change { $0.append(seconds) }
            body()
        }
        let provider = RawImageDataProvider(data: Data(), cacheKey: "a")
        let context = RetryContext(source: .provider(provider), error: error)
        for _ in 0..<times {
            strategy.retry(context: context) { decision in
                if case .retry(let userInfo) = decision {
                    retries.change { $0.append(true) }
                    #expect(userInfo == nil)
                } else {
                    retries.change { $0.append(false) }
                }
            }
            context.advance(userInfo: nil)
        }
        return (retries.value, pauses.value)
    }

    @Test func `RTY-5: the pauses of each kind`() {
        #expect(ask(nil, limit: 2, times: 2).pauses == [3, 3])
        #expect(ask(.seconds(2), limit: 3, times: 3).pauses == [2, 2, 2])
        #expect(ask(.accumulated(2), limit: 3, times: 3).pauses == [2, 4, 6])
        let squares = Interval.custom { Double(($0 + 1) * ($0 + 1)) }
        #expect(ask(squares, limit: 3, times: 3).pauses == [1, 4, 9])
        let none = ask(.seconds(0), limit: 3, times: 3)
        #expect(none.pauses.isEmpty)
        #expect(none.retries == [true, true, true])
    }

    @Test func `RTY-5: it stops at its limit and for errors that are not responses`() {
        let answers = ask(.seconds(1), limit: 2, times: 4)
        #expect(answers.retries == [true, true, false, false])
        #expect(answers.pauses.count == 2)
        let other = ask(.seconds(1), limit: 2, times: 1, .requestError(reason: .emptyRequest))
        #expect(other.retries == [false])
    }
}
