#if GTK
import Kingfisher

/// Makes an image's texture on the thread that made the image, not on the main thread.
nonisolated struct TextureModifier: ImageModifier {
    /// The modifier from the options, applied first.
    let base: (any ImageModifier)?

    func modify(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        let image = base?.modify(image) ?? image
        image.prepareTexture()
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
