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
