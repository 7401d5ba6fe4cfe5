public import Foundation

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
public struct DecodeBox: Sendable, Equatable {
    /// The size in logical pixels.
    public var size: CGSize
    /// Whether images cover the size rather than fit inside.
    public var covers: Bool

    /// Makes a box.
    ///
    /// - Parameters:
    ///   - size: In logical pixels.
    ///   - covers: Whether images cover the size rather than fit inside.
    public init(size: CGSize, covers: Bool) {
        self.size = size
        self.covers = covers
    }

    /// Rounds a length from the layout up to a power of √2.
    ///
    /// Windows of similar sizes then share cached images, at a cost of at most twice the pixels.
    package static func step(_ length: Int32) -> CGFloat {
        let exponent = (2 * log2(Double(max(1, length)))).rounded(.up)
        return exp2(exponent / 2).rounded(.up)
    }

    /// The factor by which an image of a size is scaled when shown.
    package func factor(of own: CGSize) -> CGFloat {
        guard own.isDrawable, size.isDrawable else { return 1 }
        let horizontal = size.width / own.width
        let vertical = size.height / own.height
        return covers ? max(horizontal, vertical) : min(horizontal, vertical)
    }
}

extension KingfisherParsedOptionsInfo {
    /// The options extended by a size to decode to.
    func decoding(to box: DecodeBox, density: Double) -> KingfisherParsedOptionsInfo {
        var options = self
        if options.scaleFactor == 1 { options.scaleFactor = CGFloat(density) }
        options.processor = ViewSizeProcessor(
            size: box.size,
            density: options.scaleFactor,
            covers: box.covers
        )
        // Other sizes are then made from the file on disk rather than downloaded.
        options.cacheOriginalImage = true
        return options
    }
}

extension CGSize {
    /// Whether both sides are lengths that can be drawn.
    package var isDrawable: Bool { width.isDrawable && height.isDrawable }

    /// The size with both sides multiplied by a factor.
    package func scaled(by factor: CGFloat) -> CGSize {
        CGSize(width: width * factor, height: height * factor)
    }
}

extension CGFloat {
    /// Whether this is a length, or a factor, by which others can be divided: layouts make lengths 0,
    /// and numbers from outside may be anything.
    package var isDrawable: Bool { self >= 1e-9 && self <= 1e9 }
}
