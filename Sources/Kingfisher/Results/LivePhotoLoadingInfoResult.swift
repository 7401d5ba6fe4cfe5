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

    /// Makes a result, as a stand-in for the manager does in tests.
    ///
    /// - Parameters:
    ///   - fileURLs: The files, in the order of the source's resources.
    ///   - cacheType: `.disk` when nothing was downloaded, otherwise `.none`.
    ///   - source: The source.
    ///   - originalSource: The same as `source` if nil.
    ///   - data: The bytes of those parts that were downloaded.
    public init(
        fileURLs: [URL],
        cacheType: CacheType,
        source: LivePhotoSource,
        originalSource: LivePhotoSource? = nil,
        data: @escaping @Sendable () -> [Data]
    ) {
        self.fileURLs = fileURLs
        self.cacheType = cacheType
        self.source = source
        self.originalSource = originalSource ?? source
        self.data = data
    }
}
