public import Foundation

/// Changes brightness, contrast, saturation and exposure.
public struct ColorControlsProcessor: ImageProcessor {
    /// `com.onevcat.Kingfisher.ColorControlsProcessor(<b>_<c>_<s>_<ev>)`.
    public let identifier: String

    /// Added to every channel; 0 changes nothing, 1 makes black white.
    public let brightness: CGFloat

    /// The factor about the middle grey; 1 changes nothing.
    public let contrast: CGFloat

    /// 0 is grey, 1 changes nothing.
    public let saturation: CGFloat

    /// The exposure in stops; 1 doubles the light.
    public let inputEV: CGFloat

    /// Makes a processor.
    public init(brightness: CGFloat, contrast: CGFloat, saturation: CGFloat, inputEV: CGFloat) {
        self.brightness = brightness
        self.contrast = contrast
        self.saturation = saturation
        self.inputEV = inputEV
        let values = [brightness, contrast, saturation, inputEV].map(NumberText.number)
        identifier =
            "com.onevcat.Kingfisher.ColorControlsProcessor(\(values.joined(separator: "_")))"
    }

    /// Changes the colours; nil when the bytes are no picture.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        drawing(on: item, options: options) {
            $0.kf.adjusted(
                brightness: brightness,
                contrast: contrast,
                saturation: saturation,
                inputEV: inputEV
            )
        }
    }
}
