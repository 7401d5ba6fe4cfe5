import Foundation

/// Takes the colour out of a picture, and makes it a little brighter.
public struct BlackWhiteProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.BlackWhiteProcessor`.
    public let identifier = "com.onevcat.Kingfisher.BlackWhiteProcessor"

    /// Makes a processor.
    public init() {}

    /// Gives the grey picture; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        ColorControlsProcessor(brightness: 0, contrast: 1, saturation: 0, inputEV: 0.7)
            .process(item: item, options: options)
    }
}
