/// What loading a live photo gave: the files on disk, since there is no photo object to make here.
public struct RetrieveLivePhotoResult: Sendable {
    /// The files and where they came from.
    public let loadingInfo: LivePhotoLoadingInfoResult
}
