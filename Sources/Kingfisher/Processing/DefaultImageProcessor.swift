/// Decodes, and nothing else.
public struct DefaultImageProcessor: ImageProcessor {
    /// The shared processor.
    public static let `default` = DefaultImageProcessor()

    /// Empty.
    public let identifier = ""

    /// Makes a processor.
    public init() {}

    /// Decodes bytes, or gives an image the scale of the options.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            image.kf.scaled(to: options.scaleFactor)
        case .data(let data):
            KingfisherWrapper<KFCrossPlatformImage>
                .image(data: data, options: options.imageCreatingOptions)
        }
    }
}
