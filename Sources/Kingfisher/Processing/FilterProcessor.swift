/// A processor that is made of a filter: what `CIImageProcessor` is on Apple's platforms.
///
/// Only the identifier and the filter are to be given:
///
/// ```swift
/// struct Sepia: FilterProcessor {
///     let identifier = "com.example.sepia"
///     let filter = Filter.tint(KFCrossPlatformColor(red: 0.4, green: 0.2, blue: 0, alpha: 0.3))
/// }
/// ```
public protocol FilterProcessor: ImageProcessor {
    /// What is done to the picture.
    var filter: Filter { get }
}

extension FilterProcessor {
    /// Applies the filter; bytes go through the default processor first.
    public func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): image.kf.apply(filter)
        case .data: drawing(on: item, options: options) { $0.kf.apply(filter) }
        }
    }
}
