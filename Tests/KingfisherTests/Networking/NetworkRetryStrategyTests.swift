import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct NetworkRetryStrategyTests {
    private let network = FakeNetwork()

    private let strategy: NetworkRetryStrategy

    init() {
        strategy = NetworkRetryStrategy(
            timeoutInterval: 30,
            maxRetryCount: 3,
            networkMonitor: network.monitor()
        )
    }

    private func context(
        _ error: KingfisherError = .responseError(
            reason: .URLSessionError(error: CancellationError())
        )
    ) -> RetryContext {
        RetryContext(
            source: .provider(RawImageDataProvider(data: Data(), cacheKey: "a")),
            error: error
        )
    }

    /// Asks the strategy; returns the decisions so far and a gate that opens with the first one.
    private func ask(
        _ strategy: NetworkRetryStrategy,
        _ context: RetryContext
    ) -> (answers: Locked<[RetryDecision]>, answered: Gate) {
        let answers = Locked<[RetryDecision]>([])
        let answered = Gate()
        strategy.retry(context: context) { decision in
            answers.change { $0.append(decision) }
            answered.open()
        }
        return (answers, answered)
    }

    @Test func `RTY-7: with a network it retries at once`() {
        network.isConnected.change { $0 = true }
        let (answers, _) = ask(strategy, context())
        #expect(answers.value.count == 1)
        guard case .retry(userInfo: nil)? = answers.value.first else {
            Issue.record("it did not retry")
            return
        }
    }

    @Test func `RTY-7: other errors and cancels stop`() {
        network.isConnected.change { $0 = true }
        let errors: [KingfisherError] = [
            .requestError(reason: .asyncTaskContextCancelled),
            .imageSettingError(reason: .emptySource),
        ]
        for error in errors {
            let (answers, _) = ask(strategy, context(error))
            guard case .stop? = answers.value.first else {
                Issue.record("\(error) was retried")
                return
            }
        }
    }

    @Test func `RTY-7: without a network it waits and retries with its observer`() async {
        let (answers, answered) = ask(strategy, context())
        #expect(answers.value.isEmpty)
        network.set(true)
        await answered.wait()
        guard case .retry(let userInfo)? = answers.value.first else {
            Issue.record("it did not retry")
            return
        }
        #expect(userInfo is any NetworkObserver)
    }

    @Test func `RTY-7: a network that stays away stops it`() async {
        let (answers, answered) = ask(strategy, context())
        network.clock.advance(by: 31)
        await answered.wait()
        guard case .stop? = answers.value.first else {
            Issue.record("it went on")
            return
        }
    }

    @Test func `RTY-8: a second question ends the first wait for good`() async {
        let context = context()
        let (first, _) = ask(strategy, context)
        let (second, answered) = ask(strategy, context)
        network.set(true)
        await answered.wait()
        #expect(first.value.isEmpty)
        #expect(second.value.count == 1)
    }

    @Test func `RTY-9: a server that always fails is given up`() async throws {
        network.isConnected.change { $0 = true }
        let bench = try TestBench()
        bench.server.route("/500", .status(500))
        let url = bench.server.url("/500")
        await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: url, options: [.retryStrategy(strategy)])
        }
        #expect(bench.server.requests.count == 4)
    }
}
