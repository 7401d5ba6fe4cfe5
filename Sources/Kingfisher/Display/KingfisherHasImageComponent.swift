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
