public import Foundation

/// A transformation of an image's pixels.
public struct Filter: Sendable {
    let transform: @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage?

    /// Makes a filter from a closure.
    ///
    /// - Parameter transform: Returns the changed image, or nil to keep the original. Called on any
    ///   thread.
    public init(
        transform: @escaping @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage?
    ) {
        self.transform = transform
    }

    /// Makes a filter that draws a colour over the whole image.
    public static let tint: @Sendable (KFCrossPlatformColor) -> Filter = { color in
        Filter { $0.kf.tinted(with: color) }
    }

    /// Makes a filter that changes brightness, contrast and saturation, then the exposure.
    public static let colorControl: @Sendable (ColorElement) -> Filter = { element in
        Filter {
            $0.kf.adjusted(
                brightness: element.brightness,
                contrast: element.contrast,
                saturation: element.saturation,
                inputEV: element.inputEV
            )
        }
    }

    /// The values of ``colorControl``.
    public struct ColorElement: Hashable, Sendable {
        /// Added to every channel; 0 changes nothing, 1 turns black into white.
        public let brightness: CGFloat
        /// A factor around middle grey; 1 changes nothing.
        public let contrast: CGFloat
        /// 0 is greyscale, 1 changes nothing.
        public let saturation: CGFloat
        /// The exposure in stops; 1 doubles the brightness of the light.
        public let inputEV: CGFloat

        /// Makes a set of values.
        ///
        /// - Parameters:
        ///   - brightness: Added to every channel; 0 changes nothing.
        ///   - contrast: A factor around middle grey; 1 changes nothing.
        ///   - saturation: 0 is greyscale, 1 changes nothing.
        ///   - inputEV: The exposure in stops; 0 changes nothing.
        public init(
            brightness: CGFloat,
            contrast: CGFloat,
            saturation: CGFloat,
            inputEV: CGFloat
        ) {
            self.brightness = brightness
            self.contrast = contrast
            self.saturation = saturation
            self.inputEV = inputEV
        }
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns the filtered image; the image itself if the filter returns nil.
    public func apply(_ filter: Filter) -> KFCrossPlatformImage {
        filter.transform(base) ?? base
    }
}
