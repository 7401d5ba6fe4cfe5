import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Handlers that user code releases without calling them.
@Suite(.timeLimit(.minutes(1)))
struct ReleasedHandlerTests {
    let bench: TestBench

    init() throws { bench = try TestBench() }

    /// A strategy that keeps its handlers until it is asked to drop them.
    private final class Dropping: RetryStrategy {
        let kept = Locked<[@Sendable (RetryDecision) -> Void]>([])
        let asked = Gate()
        let keeps: Bool

        init(keeps: Bool) { self.keeps = keeps }

        func retry(
            context: RetryContext,
            retryHandler: @escaping @Sendable (RetryDecision) -> Void
        ) {
            if keeps { kept.change { $0.append(retryHandler) } }
            asked.open()
        }
    }

    @Test func `RTY-13: a load whose retry handler is released ends once with its error`()
        async throws
    {
        bench.server.route("/a.jpg", .status(404))
        for keeps in [false, true] {
            let strategy = Dropping(keeps: keeps)
            let ends = Locked(0)
            let ended = Gate()
            let codes = Locked<[Int]>([])
            bench.manager.retrieveImage(
                with: bench.server.url("/a.jpg"),
                options: [.retryStrategy(strategy), .callbackQueue(.untouch)]
            ) { result in
                if case .failure(let error) = result { codes.change { $0.append(error.errorCode) } }
                ends.change { $0 += 1 }
                ended.open()
            }
            await strategy.asked.wait()
            if keeps { #expect(ends.value == 0) }
            strategy.kept.change { $0 = [] }
            await ended.wait()
            #expect(codes.value == [2002])
            #expect(ends.value == 1)
        }
    }

    @Test func `RTY-13: a handler that was called may be released, and its decision counts`()
        async throws
    {
        struct Once: RetryStrategy {
            func retry(
                context: RetryContext,
                retryHandler: @escaping @Sendable (RetryDecision) -> Void
            ) {
                if context.retriedCount < 2 { retryHandler(.retry(userInfo: nil)) }
            }
        }
        bench.server.route("/a.jpg", .status(404))
        await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: bench.server.url("/a.jpg"),
                options: [.retryStrategy(Once())]
            )
        }
        #expect(bench.server.requests.count == 3)
    }

    @Test func `PRV-12: a load whose provider releases its handler fails`() async throws {
        struct Dropping: ImageDataProvider {
            let cacheKey = "dropping"
            func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {}
        }
        await #expect(throws: DataProviderFault.handlerReleased) { try await Dropping().data() }
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: .provider(Dropping()))
        }
        #expect(error?.errorDescription?.contains("released its handler") == true)
    }

    @Test func `PRV-4: a provider that implements neither overload fails at once`() async throws {
        struct Nothing: ImageDataProvider { let cacheKey = "nothing" }
        await #expect(throws: DataProviderFault.noData) { try await Nothing().data() }
        let error = await withCheckedContinuation { continuation in
            Nothing().data { result in
                if case .failure(let error) = result { continuation.resume(returning: error) }
            }
        }
        #expect(error as? DataProviderFault == .noData)
        await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(with: .provider(Nothing()))
        }
    }

    @Test func `PRV-4: a provider may ask another of its type through the defaults`() async throws {
        final class Chain: ImageDataProvider {
            let cacheKey = "chain"
            let next: Chain?
            init(_ next: Chain?) { self.next = next }
            func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
                guard let next else { return handler(.success(Data([1]))) }
                Task { handler(await Result.of { try await next.data() }) }
            }
        }
        struct Outer: ImageDataProvider {
            let cacheKey = "outer"
            let chain: Chain
            func data() async throws -> Data { try await chain.data() }
        }
        let outer = Outer(chain: Chain(Chain(Chain(nil))))
        #expect(try await outer.data() == Data([1]))
        let data = await withCheckedContinuation { continuation in
            outer.data { continuation.resume(returning: try? $0.get()) }
        }
        #expect(data == Data([1]))
    }

    @Test func `a redirect whose callback is released is the response`() async throws {
        bench.server.route("/a.jpg", .status(302, fields: [("Location", "/b.jpg")]))
        let handler = AnyRedirectHandler { _, _, _, _ in }
        await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: bench.server.url("/a.jpg"),
                options: [.redirectHandler(handler)]
            )
        }
        #expect(bench.server.requests.count == 1)
    }
}

extension Result where Failure == any Error {
    fileprivate static func of(_ work: () async throws -> Success) async -> Self {
        do { return .success(try await work()) } catch { return .failure(error) }
    }
}
