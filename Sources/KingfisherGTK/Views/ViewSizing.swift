#if GTK
import Foundation
import Kingfisher

/// In which size a view wants its images decoded.
public enum DecodeSize: Sendable, Equatable {
    /// As large as the view shows them, and again when the view grows.
    ///
    /// Loads whose options name a processor are left alone.
    case fitView
    /// As the file has them.
    case original
}

/// When a view starts to load.
public enum LoadStart: Sendable, Equatable {
    /// At once, or as soon as the view's size is known.
    case immediately
    /// When the view has stayed on screen for two frames: for cells of lists, most of which are
    /// only passing by. An image in memory is in the first frame all the same. When the view leaves
    /// the screen it lets go of the image, which stays in the caches.
    case whenVisible
}

/// A size to decode for.
struct DecodeBox: Equatable {
    /// In logical pixels.
    var size: CGSize
    /// Whether images cover it rather than fit inside.
    var covers: Bool

    /// A size that the layout gives, rounded up to a power of √2 on both sides.
    ///
    /// Windows of nearly one size then share what is cached, at the price of at most twice the
    /// pixels.
    static func step(_ length: Int32) -> CGFloat {
        let exponent = (2 * log2(Double(max(1, length)))).rounded(.up)
        return exp2(exponent / 2).rounded(.up)
    }

    /// By how much an image of a size is scaled to be shown.
    func factor(of own: CGSize) -> CGFloat {
        guard own.width > 0, own.height > 0 else { return 1 }
        let horizontal = size.width / own.width
        let vertical = size.height / own.height
        return covers ? max(horizontal, vertical) : min(horizontal, vertical)
    }
}

/// What a picture knows about the size that it shows images in.
struct ViewSizing {
    var decodeSize = DecodeSize.fitView
    /// Whether images cover the view rather than fit inside.
    var covers = false
    var loadsWhenVisible = false
    /// The size of cells that all have the same, so that it is known before the layout.
    var fixedBox: CGSize?
    /// The size in logical pixels that the image on show was decoded for; nil for its own.
    var decodedFor: CGSize?
    /// The image was decoded before the view had its size, and may be much too large.
    var isGuessed = false
    /// The source and options of the image on show, to load it again larger.
    var reload: (source: Source, options: KingfisherParsedOptionsInfo, manager: KingfisherManager)?
    var isReloadPlanned = false
}
#endif
