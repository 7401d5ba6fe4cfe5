/// What loading a live photo gave: the files on disk, since there is no photo object to make here.
public struct RetrieveLivePhotoResult: Sendable {
    /// The files and where they came from.
    public let loadingInfo: LivePhotoLoadingInfoResult

    /// Makes a result, as a stand-in for the manager does in tests.
    public init(loadingInfo: LivePhotoLoadingInfoResult) {
        self.loadingInfo = loadingInfo
    }
}
