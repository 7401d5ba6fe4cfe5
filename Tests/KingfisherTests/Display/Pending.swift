import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Records the result of one load: pass `completion` to it and await `outcome`.
@MainActor
final class Pending {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    private(set) var outcomes: [Outcome] = []
    private let gate = Gate()

    var completion: @MainActor @Sendable (Outcome) -> Void {
        { outcome in
            self.outcomes.append(outcome)
            self.gate.open()
        }
    }

    var isOver: Bool { !outcomes.isEmpty }

    /// Waits for the result; requires exactly one.
    func outcome() async throws -> Outcome {
        await gate.wait()
        try #require(outcomes.count == 1)
        return outcomes[0]
    }

    /// Waits for the error; throws if the load succeeded.
    func error() async throws -> KingfisherError {
        guard case .failure(let error) = try await outcome() else {
            throw UnexpectedSuccess()
        }
        return error
    }

    func image() async throws -> KFCrossPlatformImage {
        try await outcome().get().image
    }

    struct UnexpectedSuccess: Error {}
}

extension TestBench {
    /// Options that make a view use the bench's cache and downloader instead of the shared ones.
    var viewOptions: KingfisherOptionsInfo { [.targetCache(cache), .downloader(downloader)] }

    /// Serves a JPEG under a path once the gate is open.
    func serveHeld(_ path: String, width: Int = 64, gate: ServerGate) -> Source {
        let data = TestImage.jpeg(width: width)
        server.route(path, .held(gate, then: .body(data, type: "image/jpeg")))
        return .network(server.url(path))
    }
}

/// A serializer that blocks in the middle of a disk read until the test releases it.
struct HeldSerializer: CacheSerializer {
    let started = Gate()
    let release = DispatchSemaphore(value: 0)

    func data(
        with image: KFCrossPlatformImage,
        original: Data?
    ) -> Data? {
        DefaultCacheSerializer.default.data(with: image, original: original)
    }

    func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        started.open()
        release.wait()
        release.signal()
        return DefaultCacheSerializer.default.image(with: data, options: options)
    }
}
