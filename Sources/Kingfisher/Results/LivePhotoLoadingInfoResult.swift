public import Foundation

/// The files of a live photo on disk.
public struct LivePhotoLoadingInfoResult: Sendable {
    /// The files, in the order of the source's resources.
    public let fileURLs: [URL]

    /// `.disk` when nothing had to be downloaded, otherwise `.none`.
    public let cacheType: CacheType

    /// The source.
    public let source: LivePhotoSource

    /// The same as ``source``.
    public let originalSource: LivePhotoSource

    /// The bytes of those parts that were downloaded now.
    public let data: @Sendable () -> [Data]
}
