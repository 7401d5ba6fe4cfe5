/// Stands for the parts of live photos in the cache: their bytes are kept as they are.
struct LivePhotoImageProcessor: ImageProcessor {
    static let `default` = LivePhotoImageProcessor()

    let identifier = "com.onevcat.Kingfisher.LivePhotoImageProcessor"

    /// An empty image, because a part may be a movie.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        KFCrossPlatformImage()
    }
}
