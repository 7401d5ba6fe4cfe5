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
public protocol KingfisherImageSettable: KingfisherCompatible {
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

/// An object with an image property; conformance adds `.kf.setImage(with:)`.
public protocol KingfisherHasImageComponent: KingfisherImageSettable {
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
