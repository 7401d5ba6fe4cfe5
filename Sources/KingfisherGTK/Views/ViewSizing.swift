#if GTK
import Foundation
import Kingfisher

/// The size to which a view's images are decoded.
public enum DecodeSize: Sendable, Equatable {
    /// The size of the view; decoded again when the view grows.
    ///
    /// Has no effect on loads whose options contain a processor.
    case fitView
    /// The size stored in the file.
    case original
}

/// When a view starts its loads.
public enum LoadStart: Sendable, Equatable {
    /// Immediately, or as soon as the view's size is known.
    case immediately
    /// When the view has been on screen for two frames; for cells of lists, most of which only pass
    /// by during scrolling. An image in memory is shown in the first frame nevertheless. When the
    /// view leaves the screen it releases the image, which stays in the caches.
    case whenVisible
}

/// A size to decode to.
struct DecodeBox: Equatable {
    /// The size in logical pixels.
    var size: CGSize
    /// Whether images cover the size rather than fit inside.
    var covers: Bool

    /// Rounds a length from the layout up to a power of √2.
    ///
    /// Windows of similar sizes then share cached images, at a cost of at most twice the pixels.
    static func step(_ length: Int32) -> CGFloat {
        let exponent = (2 * log2(Double(max(1, length)))).rounded(.up)
        return exp2(exponent / 2).rounded(.up)
    }

    /// The factor by which an image of a size is scaled when shown.
    func factor(of own: CGSize) -> CGFloat {
        guard own.width > 0, own.height > 0 else { return 1 }
        let horizontal = size.width / own.width
        let vertical = size.height / own.height
        return covers ? max(horizontal, vertical) : min(horizontal, vertical)
    }
}

/// The sizes related to a view's images.
struct ViewSizing {
    var decodeSize = DecodeSize.fitView
    /// Whether images cover the view rather than fit inside.
    var covers = false
    var loadsWhenVisible = false
    /// The common size of a list's cells, so that it is known before the layout.
    var fixedBox: CGSize?
    /// The size in logical pixels that the current image was decoded to; nil for its own size.
    var decodedFor: CGSize?
    /// Whether the image was decoded before the view's size was known, and may be much too large.
    var isGuessed = false
    /// The source and options of the current image, for loading it again in a larger size.
    var reload: (source: Source, options: KingfisherParsedOptionsInfo, manager: KingfisherManager)?
    var isReloadPlanned = false
}
#endif
