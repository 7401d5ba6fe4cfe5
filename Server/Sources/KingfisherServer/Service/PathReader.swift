import Foundation
import Kingfisher
import Synchronization

/// Parses and negotiates requests, and remembers those that are made often, since that takes longer
/// than finding the result.
struct PathReader: Sendable {
    /// A request with the key of its result.
    final class Keyed: Sendable {
        let request: NegotiatedRequest
        /// The key, apart from fields that are passed on to the source.
        let key: String

        init(_ request: NegotiatedRequest) {
            self.request = request
            key = request.canonicalKey
        }
    }

    /// A parsed path with its negotiated requests so far.
    private final class Parsed: Sendable, CacheCostCalculable {
        private static let maximalVariants = 16

        let request: ImageRequest
        let cacheCost: Int
        private let variants = Mutex<[NegotiationHeaders: Keyed]>([:])

        init(_ request: ImageRequest, path: String) {
            self.request = request
            // 1 KiB for the options of each of usually a few variants.
            cacheCost = 4096 + 4 * path.utf8.count
        }

        func variant(_ headers: NegotiationHeaders) -> Keyed? { variants.withLock { $0[headers] } }

        /// Remembers a variant; clients of many kinds, or hostile ones, do not fill the memory.
        func remember(_ keyed: Keyed, _ headers: NegotiationHeaders) {
            guard (headers.accept ?? "").utf8.count <= 1024 else { return }
            variants.withLock { variants in
                if variants.count >= Self.maximalVariants { variants = [:] }
                variants[headers] = keyed
            }
        }
    }

    private let settings: GrammarSettings
    private let negotiation: NegotiationSettings
    // 16 MiB: some four thousand paths.
    private let known = MemoryStorage.Backend<Parsed>(config: .init(totalCostLimit: 16 << 20))

    /// Makes a reader.
    init(_ settings: GrammarSettings, _ negotiation: NegotiationSettings) {
        self.settings = settings
        self.negotiation = negotiation
    }

    /// The request of a path.
    ///
    /// - Parameter path: The path as it arrived.
    /// - Returns: The request.
    /// - Throws: ``ServiceError`` 403 for a wrong signature, 404 for everything else.
    func request(_ path: String) throws(ServiceError) -> ImageRequest {
        try parsed(path).request
    }

    /// The request of a path for a client.
    ///
    /// - Parameters:
    ///   - path: The path as it arrived.
    ///   - headers: The client's headers; those that the settings do not use are left out.
    /// - Returns: The request and its key.
    /// - Throws: ``ServiceError`` 403 for a wrong signature, 404 for everything else.
    func request(
        _ path: String,
        for headers: NegotiationHeaders
    ) throws(ServiceError) -> Keyed {
        let parsed = try parsed(path)
        if let keyed = parsed.variant(headers) { return keyed }
        let keyed = Keyed(try negotiated(parsed.request, for: headers))
        parsed.remember(keyed, headers)
        return keyed
    }

    /// A request as a client with some headers gets it.
    func negotiated(
        _ request: ImageRequest,
        for headers: NegotiationHeaders
    ) throws(ServiceError) -> NegotiatedRequest {
        try Negotiation.negotiate(request, headers: headers, settings: negotiation)
    }

    /// The negotiated requests for all formats that clients may accept, in every order of preference.
    ///
    /// - Parameter request: The request.
    /// - Returns: The requests; those of clients with hints of their size are not among them.
    func variants(of request: ImageRequest) -> [NegotiatedRequest] {
        negotiation.automatic.union(negotiation.enforced).selections.compactMap { formats in
            var headers = NegotiationHeaders()
            // The order of preference is part of the key.
            headers.accept = formats.enumerated()
                .map { "image/\($1.mediaSubtype);q=0.\(9 - $0)" }.joined(separator: ",")
            // A request that cannot be negotiated has no results.
            return try? negotiated(request, for: headers)
        }
    }

    /// The signed paths of the images of a list of widths, in its order.
    ///
    /// - Throws: ``ServiceError`` 404 for an encrypted source, which the paths would show, and where
    ///   the configuration does not let URLs name widths.
    func paths(
        of request: ImageRequest
    ) throws(ServiceError) -> [(width: Int, path: String)] {
        guard !request.hidesSource else {
            throw .refused("an encrypted source has no list of widths")
        }
        guard case .widths(let widths, let parts) = request.kind else { return [] }
        let paths = widths.map { width in
            (width: width, path: ImageRequest.path(parts, width: width, for: settings))
        }
        // Presets may set what URLs must not.
        if let first = paths.first { _ = try ImageRequest.parse(first.path, with: settings) }
        return paths
    }

    private func parsed(_ path: String) throws(ServiceError) -> Parsed {
        if let parsed = known.value(forKey: path, extendingExpiration: .none),
            parsed.request.options.expires.map({ $0 > Date() }) ?? true
        {
            return parsed
        }
        let parsed = Parsed(try ImageRequest.parse(path, with: settings), path: path)
        known.store(value: parsed, forKey: path)
        return parsed
    }
}

extension Set {
    /// All selections of elements, each in every order.
    fileprivate var selections: [[Element]] {
        [[]] + flatMap { first in subtracting([first]).selections.map { [first] + $0 } }
    }
}
