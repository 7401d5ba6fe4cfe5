extension ImageProcessor {
    /// Draws on an image of the options' scale; bytes are decoded first.
    ///
    /// - Parameters:
    ///   - item: Bytes go through the default processor, as if it stood before this one.
    ///   - options: Their scale factor is given to an image that has another.
    ///   - draw: Makes the result.
    /// - Returns: The result; nil when the bytes are no picture.
    func drawing(
        on item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo,
        draw: (KFCrossPlatformImage) -> KFCrossPlatformImage
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options).map(draw)
    }
}
