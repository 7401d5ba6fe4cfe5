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

/// An object with an image property; conforming gives it `.kf.setImage(with:)`.
public protocol KingfisherHasImageComponent: KingfisherImageSettable {
    /// The image that the object shows.
    @MainActor
    var image: KFCrossPlatformImage? { get set }
}

extension KingfisherHasImageComponent {
    /// Sets the image property.
    @MainActor
    public func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        self.image = image
    }

    /// Reads the image property.
    @MainActor
    public func getImage() -> KFCrossPlatformImage? { image }
}
