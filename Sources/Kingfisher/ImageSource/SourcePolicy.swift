public import Foundation

/// The kinds of sources that a load may read.
///
/// An untrusted URL may name a local file. ``remote`` refuses it before anything is looked up or
/// opened, so the error does not reveal whether the file exists.
///
/// Without the option ``KingfisherOptionsInfoItem/allowedSources(_:)`` all kinds are allowed,
/// except that a downloader with an ``AddressPolicy`` refuses ``files``.
public struct SourcePolicy: OptionSet, Sendable, Hashable {
    /// One bit per kind.
    public let rawValue: Int

    /// `http:` and `https:` URLs, also of films; the downloader's ``AddressPolicy`` checks their
    /// addresses.
    public static let network = SourcePolicy(rawValue: 1 << 0)
    /// `data:` URLs, which contain their bytes.
    public static let dataURLs = SourcePolicy(rawValue: 1 << 1)
    /// Local files: `file:` URLs and the library's providers that read files.
    public static let files = SourcePolicy(rawValue: 1 << 2)
    /// Custom providers, and the library's providers of bytes in memory.
    public static let providers = SourcePolicy(rawValue: 1 << 3)
    /// The kinds that are safe for untrusted URLs: ``network`` and ``dataURLs``.
    public static let remote: SourcePolicy = [.network, .dataURLs]
    /// All kinds.
    public static let all: SourcePolicy = [.network, .dataURLs, .files, .providers]

    /// Makes a policy from the bits of the kinds.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The reason why a source was not read.
    ///
    /// A provider's load reports it in
    /// ``KingfisherError/ImageSettingErrorReason/dataProviderError(provider:error:)``, a download
    /// in ``KingfisherError/ResponseErrorReason/URLSessionError(error:)``.
    public struct Refusal: Error, LocalizedError, Equatable {
        /// The kind that was refused.
        public let kind: SourcePolicy

        /// The refused source, and the way to allow it.
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
    /// Throws unless the policy allows this source.
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
        case .provider(let page as PDFPageDataProvider) where page.url != nil: .files
        case .provider(let frame as VideoFrameDataProvider) where frame.url != nil:
            frame.isRemote ? .network : .files
        case .provider(let asset as AVAssetImageDataProvider):
            asset.frame.isRemote ? .network : .files
        case .provider(is DataURLImageDataProvider): .dataURLs
        case .provider: .providers
        }
    }
}
