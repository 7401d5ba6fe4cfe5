public import Foundation

/// The result of loading a live photo: its files on disk.
///
/// There is no live photo object on Linux.
public struct RetrieveLivePhotoResult: Sendable {
    /// The files and where they came from.
    public let loadingInfo: LivePhotoLoadingInfoResult

    /// Makes a result; tests use it in place of the manager.
    public init(loadingInfo: LivePhotoLoadingInfoResult) {
        self.loadingInfo = loadingInfo
    }
}

/// The files of a live photo on disk.
public struct LivePhotoLoadingInfoResult: Sendable {
    /// The files, in the order of the source's resources.
    public let fileURLs: [URL]

    /// `.disk` if nothing had to be downloaded, otherwise `.none`.
    public let cacheType: CacheType

    /// The source.
    public let source: LivePhotoSource

    /// The same as ``source``.
    public let originalSource: LivePhotoSource

    /// The bytes of the resources downloaded by this load.
    public let data: @Sendable () -> [Data]

    /// Makes a result; tests use it in place of the manager.
    ///
    /// - Parameters:
    ///   - fileURLs: The files, in the order of the source's resources.
    ///   - cacheType: `.disk` if nothing was downloaded, otherwise `.none`.
    ///   - source: The source.
    ///   - originalSource: Defaults to `source`.
    ///   - data: The bytes of the resources downloaded by this load.
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
