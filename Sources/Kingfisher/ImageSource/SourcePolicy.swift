public import Foundation

/// The kinds of sources that a load may read.
///
/// A URL of a stranger may also name a file of this machine. With ``remote`` it is refused before
/// anything is looked up or opened, so that the error does not tell whether the file exists.
///
/// Without the option ``KingfisherOptionsInfoItem/allowedSources(_:)`` every kind is allowed, except
/// that a downloader with an ``AddressPolicy`` refuses ``files``.
public struct SourcePolicy: OptionSet, Sendable, Hashable {
    /// One bit for each kind.
    public let rawValue: Int

    /// `http:` and `https:` URLs; the downloader's ``AddressPolicy`` decides about their addresses.
    public static let network = SourcePolicy(rawValue: 1 << 0)
    /// `data:` URLs, which carry their bytes.
    public static let dataURLs = SourcePolicy(rawValue: 1 << 1)
    /// Files of this machine: `file:` URLs and the library's providers that read files.
    public static let files = SourcePolicy(rawValue: 1 << 2)
    /// Providers of the program's own, and the library's for bytes in memory.
    public static let providers = SourcePolicy(rawValue: 1 << 3)
    /// What a stranger's URL may name: ``network`` and ``dataURLs``.
    public static let remote: SourcePolicy = [.network, .dataURLs]
    /// Every kind.
    public static let all: SourcePolicy = [.network, .dataURLs, .files, .providers]

    /// Makes a policy of the bits of the kinds.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Why a source was not read.
    ///
    /// The error of a provider's load carries it in
    /// ``KingfisherError/ImageSettingErrorReason/dataProviderError(provider:error:)``, that of a
    /// download in ``KingfisherError/ResponseErrorReason/URLSessionError(error:)``.
    public struct Refusal: Error, LocalizedError, Equatable {
        /// The kind that was refused.
        public let kind: SourcePolicy

        /// What is refused, and how to allow it.
        public var errorDescription: String? {
            let name =
                switch kind {
                case .network: "Network sources"
                case .dataURLs: "Data URLs"
                case .files: "Local files"
                default: "Data providers"
                }
            return "\(name) are not allowed here. Allow them with .allowedSources, or with an "
                + "unrestricted address policy, if the source can be trusted."
        }
    }
}

extension Source {
    /// Makes sure that a policy allows this source.
    func check(against policy: SourcePolicy) throws(KingfisherError) {
        guard !policy.contains(kind) else { return }
        let refusal = SourcePolicy.Refusal(kind: kind)
        switch self {
        case .network:
            throw .responseError(reason: .URLSessionError(error: refusal))
        case .provider(let provider):
            throw .imageSettingError(
                reason: .dataProviderError(provider: provider, error: refusal)
            )
        }
    }

    private var kind: SourcePolicy {
        switch self {
        case .network: .network
        case .provider(is LocalFileImageDataProvider), .provider(is ThumbnailImageDataProvider):
            .files
        case .provider(is DataURLImageDataProvider): .dataURLs
        case .provider: .providers
        }
    }
}
