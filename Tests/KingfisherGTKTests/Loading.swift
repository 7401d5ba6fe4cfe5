#if GTK
import Foundation
import Kingfisher

@testable import KingfisherGTK

/// Records the results of a load.
final class Loading {
    var results: [Result<RetrieveImageResult, KingfisherError>] = [] {
        didSet { LoopEvents.wake() }
    }

    func value() throws -> RetrieveImageResult { try result().get() }

    func error() throws -> KingfisherError {
        guard case .failure(let error) = try result() else { throw Missing() }
        return error
    }

    private struct Missing: Error {}

    private func result() throws -> Result<RetrieveImageResult, KingfisherError> {
        guard results.count == 1, let result = results.first else { throw Missing() }
        return result
    }
}

extension ViewLoader {
    /// Loads a URL without options.
    ///
    /// - Parameters:
    ///   - url: The URL of an image.
    ///   - manager: The manager of a bench.
    ///   - loading: Receives the result.
    /// - Returns: The task; nil if a cache has the image.
    @discardableResult
    func load(_ url: URL, by manager: KingfisherManager, into loading: Loading) -> DownloadTask? {
        load(
            .network(url),
            placeholder: nil,
            options: KingfisherParsedOptionsInfo(nil),
            by: manager,
            progress: nil,
            completion: { loading.results.append($0) }
        )
    }
}
#endif
