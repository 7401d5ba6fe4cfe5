#if GTK
import Kingfisher
import Synchronization

/// Makes an image's texture on the thread that made the image, not on the main thread.
///
/// Holds the texture until the end of the load, when the view has taken it over.
nonisolated final class TextureModifier: ImageModifier {
    /// The modifier from the options, applied first.
    private let base: (any ImageModifier)?
    private let texture = Mutex<GObjectReference?>(nil)

    init(base: (any ImageModifier)?) {
        self.base = base
    }

    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        let image = base?.modify(image) ?? image
        let made = image.texture
        texture.withLock { $0 = made }
        return image
    }
}

extension KingfisherParsedOptionsInfo {
    /// The same options, with images that already have their texture.
    var givingTexture: KingfisherParsedOptionsInfo {
        var options = self
        options.imageModifier = TextureModifier(base: imageModifier)
        return options
    }
}
#endif
