#if GTK
import Kingfisher

/// Has an image's texture made where the image was made, away from the main thread.
nonisolated struct TextureModifier: ImageModifier {
    /// The caller's own, applied first.
    let base: (any ImageModifier)?

    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        let image = base?.modify(image) ?? image
        image.prepareTexture()
        return image
    }
}

extension KingfisherParsedOptionsInfo {
    /// The same, with images that have their texture already when they arrive.
    var givingTexture: KingfisherParsedOptionsInfo {
        var options = self
        options.imageModifier = TextureModifier(base: imageModifier)
        return options
    }
}
#endif
