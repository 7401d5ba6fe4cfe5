import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Providers that are slow, or whose load is cancelled.
@Suite(.timeLimit(.minutes(1)))
struct ProviderLoadTests {
    let bench: TestBench

    init() throws {
        bench = try TestBench()
    }

    /// Completes when the test calls its handler, and ignores cancellation.
    private struct Deaf: ImageDataProvider {
        typealias Handler = @Sendable (Result<Data, any Error>) -> Void
        let cacheKey = "deaf"
        let handler = Locked<Handler?>(nil)
        let started = Gate()

        func data(handler: @escaping Handler) {
            self.handler.change { $0 = handler }
            started.open()
        }
    }

    @Test func `PRV-7 W-10: a cancel ends the load at once, and a late result is ignored`()
        async throws
    {
        let provider = Deaf()
        let errors = Locked<[KingfisherError?]>([])
        let ended = Gate()
        let task = bench.manager.retrieveImage(
            with: .provider(provider),
            options: [.callbackQueue(.untouch)]
        ) { result in
            errors.change { $0.append(result.error) }
            ended.open()
        }
        await provider.started.wait()
        task?.cancel()
        await ended.wait()
        provider.handler.value?(.success(TestImage.png()))
        // A second load of the same provider runs through every step that the first one could have
        // run.
        let again = Deaf()
        let manager = bench.manager
        async let image = manager.retrieveImage(with: .provider(again)).image
        await again.started.wait()
        #expect(!bench.cache.isCached(forKey: provider.cacheKey))
        again.handler.value?(.success(TestImage.png()))
        _ = try await image
        #expect(errors.value.map { $0?.errorCode } == [1006])
    }

    @Test func `PRV-10: a load without a completion is done all the same`() async throws {
        let provider = RawImageDataProvider(data: TestImage.png(), cacheKey: "unheard")
        let succeeded = Gate()
        let observation = bench.manager.observeLoads { event in
            if case .succeeded = event.kind { succeeded.open() }
        }
        bench.manager.retrieveImage(with: .provider(provider), completionHandler: nil)
        await succeeded.wait()
        observation.cancel()
        #expect(bench.cache.isCached(forKey: "unheard"))
    }
}

extension Result {
    fileprivate var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
