public import Foundation

/// A change of a picture's pixels, as a value that can be kept and handed on.
public struct Filter: Sendable {
    let transform: @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage?

    /// Makes a filter of a closure.
    ///
    /// - Parameter transform: Gives the changed picture; nil leaves it as it is. Called on any
    ///   thread.
    public init(
        transform: @escaping @Sendable (KFCrossPlatformImage) -> KFCrossPlatformImage?
    ) {
        self.transform = transform
    }

    /// Makes the filter that lays a colour over the whole picture.
    public static let tint: @Sendable (KFCrossPlatformColor) -> Filter = { color in
        Filter { $0.kf.tinted(with: color) }
    }

    /// Makes the filter that changes brightness, contrast and saturation, then the exposure.
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

    /// What ``colorControl`` changes, and how much.
    public struct ColorElement: Hashable, Sendable {
        /// Added to every channel; 0 changes nothing, 1 makes black white.
        public let brightness: CGFloat
        /// The factor about the middle grey; 1 changes nothing.
        public let contrast: CGFloat
        /// 0 is grey, 1 changes nothing.
        public let saturation: CGFloat
        /// The exposure in stops; 1 doubles the light.
        public let inputEV: CGFloat

        /// Makes a set of values.
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
    /// The picture behind a filter; the image itself when the filter gives nothing.
    public func apply(_ filter: Filter) -> KFCrossPlatformImage {
        filter.transform(base) ?? base
    }
}
