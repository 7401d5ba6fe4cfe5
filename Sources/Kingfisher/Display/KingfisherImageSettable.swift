/// Anything that an image can be put on; conforming gives it `.kf.setImage(with:)`.
///
/// ```swift
/// final class Avatar: KingfisherImageSettable {
///     var picture: KFCrossPlatformImage?
///     func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
///         picture = image
///     }
///     func getImage() -> KFCrossPlatformImage? { picture }
/// }
/// ```
public protocol KingfisherImageSettable: KingfisherCompatible {
    /// Puts an image, or none, on the object.
    @MainActor
    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// The image that is on the object now.
    @MainActor
    func getImage() -> KFCrossPlatformImage?
}
