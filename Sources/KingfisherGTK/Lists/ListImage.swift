#if GTK
public import Foundation
public import Kingfisher

/// What a cell of an ``ImageListFactory`` shows.
public struct ListImage {
    /// The source of the image; nil shows the placeholder alone.
    public var source: Source?
    /// Shown until the image is loaded, in place of the factory's placeholder.
    public var placeholder: KFCrossPlatformImage?
    /// The name of the image and of its cell for assistive technology.
    public var label: String?
    /// The context menu of the cell; it opens over a loaded image.
    public var menu: PictureMenu?
    /// The sign over the image, such as `.video()` over the frame of a video.
    public var badge: PictureBadge?

    /// Describes a cell by a source.
    public init(
        source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        label: String? = nil,
        menu: PictureMenu? = nil,
        badge: PictureBadge? = nil
    ) {
        self.source = source
        self.placeholder = placeholder
        self.label = label
        self.menu = menu
        self.badge = badge
    }

    /// Describes a cell by a URL, with a placeholder made of a hash.
    ///
    /// - Parameters:
    ///   - url: The URL of the image.
    ///   - thumbHash: The ThumbHash of the image; an invalid one shows nothing.
    ///   - label: The name of the image and of its cell for assistive technology.
    ///   - menu: The context menu of the cell.
    ///   - badge: The sign over the image.
    public init(
        _ url: URL?,
        thumbHash: Data? = nil,
        label: String? = nil,
        menu: PictureMenu? = nil,
        badge: PictureBadge? = nil
    ) {
        let placeholder = thumbHash.flatMap { KFCrossPlatformImage(thumbHash: $0) }
        self.init(
            source: url?.convertToSource(),
            placeholder: placeholder,
            label: label,
            menu: menu,
            badge: badge
        )
    }
}
#endif
