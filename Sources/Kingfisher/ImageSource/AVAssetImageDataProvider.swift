public import Foundation

/// Makes an image of the frame that is displayed at a time of a video.
///
/// As ``VideoFrameDataProvider`` with ``VideoFramePosition/exact(_:)``, under the name that code for
/// Apple platforms uses.
public struct AVAssetImageDataProvider: ImageDataProvider {
    /// The errors of Kingfisher for Apple platforms; never thrown by this library.
    ///
    /// A frame that cannot be made is a ``DocumentError``.
    public enum AVAssetImageDataProviderError: Error {
        /// The generator of frames was cancelled.
        case userCancelled
        /// The generator made no usable frame.
        case invalidImage(_ image: KFCrossPlatformImage?)
    }

    /// The time in seconds from the beginning of the video.
    public let seconds: TimeInterval

    var frame: VideoFrameDataProvider

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - assetURL: A `file:` URL of a regular file, or an http or https URL.
    ///   - seconds: From the beginning of the video.
    public init(assetURL: URL, seconds: TimeInterval) {
        self.seconds = seconds
        frame = VideoFrameDataProvider(url: assetURL, at: .exact(seconds))
    }

    /// That of a ``VideoFrameDataProvider``.
    public var cacheKey: String { frame.cacheKey }

    /// Decodes the frame, and encodes it as a PNG.
    ///
    /// - Throws: As ``VideoFrameDataProvider/data()``.
    public func data() async throws -> Data { try await frame.data() }

    /// As ``data()``; the handler is called with its result.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        frame.data(handler: handler)
    }

    /// The file's URL.
    public var contentURL: URL? { frame.url }
}

extension AVAssetImageDataProvider: PreparedDataProvider {
    /// See ``VideoFrameDataProvider``.
    func content(for context: ProviderContext?) async throws -> ProvidedContent {
        try await frame.content(for: context)
    }
}
