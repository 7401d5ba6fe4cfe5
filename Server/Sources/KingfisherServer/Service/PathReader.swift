import Foundation
import Kingfisher

/// Parses paths, and remembers those that are asked for often, since parsing and checking the
/// signature takes longer than finding the result.
struct PathReader: Sendable {
    private final class Parsed: Sendable, CacheCostCalculable {
        let request: ImageRequest
        let cacheCost: Int

        init(_ request: ImageRequest, cost: Int) {
            self.request = request
            cacheCost = cost
        }
    }

    private let settings: GrammarSettings
    // 16 MiB: some ten thousand paths.
    private let known = MemoryStorage.Backend<Parsed>(config: .init(totalCostLimit: 16 << 20))

    /// Makes a reader.
    init(_ settings: GrammarSettings) { self.settings = settings }

    /// The request of a path.
    ///
    /// - Parameter path: The path as it arrived.
    /// - Returns: The request.
    /// - Throws: ``ServiceError`` 403 for a wrong signature, 404 for everything else.
    func request(_ path: String) throws(ServiceError) -> ImageRequest {
        if let parsed = known.value(forKey: path, extendingExpiration: .none),
            parsed.request.options.expires.map({ $0 > Date() }) ?? true
        {
            return parsed.request
        }
        let request = try ImageRequest.parse(path, with: settings)
        // 1 KiB for the options.
        let parsed = Parsed(request, cost: 1024 + 2 * path.utf8.count)
        known.store(value: parsed, forKey: path)
        return request
    }
}
