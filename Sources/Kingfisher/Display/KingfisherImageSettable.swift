/// An object that an image can be set on; conformance adds `.kf.setImage(with:)`.
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
///
/// The class that conforms need not be isolated to the main actor.
public nonisolated protocol KingfisherImageSettable: KingfisherCompatible, ImageDisplaying
where PlaceholderContent == KFCrossPlatformImage {
    /// Sets the image.
    ///
    /// - Parameters:
    ///   - image: The image; nil removes the current one.
    ///   - options: The options of the load.
    @MainActor
    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// Returns the current image.
    @MainActor
    func getImage() -> KFCrossPlatformImage?
}

@MainActor
extension KingfisherImageSettable {
    /// The loads of the image, which end with the object.
    public var imageLoads: ImageLoads<KFCrossPlatformImage> {
        ImageLoads(
            ImageSlot.named(.image, of: self) {
                ImageSlot(
                    of: self,
                    get: { $0.getImage() },
                    set: { $0.setImage($1, options: $2) }
                )
            }
        )
    }
}

/// An object with an image property; conformance adds `.kf.setImage(with:)`.
public nonisolated protocol KingfisherHasImageComponent: KingfisherImageSettable {
    /// The current image.
    @MainActor
    var image: KFCrossPlatformImage? { get set }
}

extension KingfisherHasImageComponent {
    /// Sets the image property.
    ///
    /// - Parameters:
    ///   - image: The image; nil removes the current one.
    ///   - options: Ignored.
    @MainActor
    public func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        self.image = image
    }

    /// Reads the image property.
    @MainActor
    public func getImage() -> KFCrossPlatformImage? { image }
}

extension KFCrossPlatformButton: AlternateImageDisplaying {
    /// The loads of the alternate image.
    public var alternateImageLoads: ImageLoads<KFCrossPlatformImage> {
        ImageLoads(
            ImageSlot.named(.alternateImage, of: self) {
                ImageSlot(
                    of: self,
                    get: { $0.alternateImage },
                    set: { button, image, _ in button.alternateImage = image }
                )
            }
        )
    }
}
