#if GTK
import Kingfisher
import Synchronization

/// Makes textures of images on the threads that make the images, not on the main thread.
///
/// Holds the textures until the end of the load, when the view has taken its texture over.
nonisolated final class TextureModifier: ImageModifier {
    /// The modifier from the options, applied first.
    private let base: (any ImageModifier)?
    private let textures = Mutex<[GObjectReference]>([])

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
        let image = base?.modify(image) ?? image
        if let made = image.texture { textures.withLock { $0.append(made) } }
        return image
    }

    /// The number of textures that are held.
    var count: Int { textures.withLock { $0.count } }
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
