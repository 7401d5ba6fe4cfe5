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
    /// The source and options of the image on show, to load it again larger.
    var reload: (source: Source, options: KingfisherParsedOptionsInfo, manager: KingfisherManager)?
    var isReloadPlanned = false
}
#endif
