#if GTK
import Kingfisher
import Synchronization

/// Makes textures of images on the threads that make the images, not on the main thread.
///
/// Holds the images with their textures until the end of the load, when the view has taken its texture
/// over. The memory cache finds an image that it has evicted as long as it is held.
nonisolated final class TextureModifier: ImageModifier {
    /// The modifier from the options, applied first.
    private let base: (any ImageModifier)?
    private let held = Mutex<[(image: KFCrossPlatformImage, texture: GObjectReference)]>([])

    init(base: (any ImageModifier)?) {
        self.base = base
    }

    /// Applies the modifier of a load's options first.
    convenience init(extending options: KingfisherOptionsInfo, of manager: KingfisherManager) {
        self.init(
            base: KingfisherParsedOptionsInfo(manager.defaultOptions + options).imageModifier
        )
    }

    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        let modified = base?.modify(image) ?? image
        if let made = modified.texture { held.withLock { $0.append((image, made)) } }
        return modified
    }

    /// The number of textures that are held.
    var count: Int { held.withLock { $0.count } }
}

extension KingfisherParsedOptionsInfo {
    /// The same options, with images that already have their texture.
    var givingTexture: KingfisherParsedOptionsInfo {
        var options = self
        options.imageModifier = TextureModifier(base: options.imageModifier)
        return options
    }
}
#endif
