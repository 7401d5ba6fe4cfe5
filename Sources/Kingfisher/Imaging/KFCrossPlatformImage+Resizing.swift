public import Foundation
import KFCodecs
import KFPixels

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns the image stretched to exactly a size in points.
    ///
    /// Returns the image itself if it is empty or the size is invalid.
    public func resize(to size: CGSize) -> KFCrossPlatformImage {
        base.resized(to: size, for: .none) ?? base
    }

    /// Returns the image fitted to a size in points.
    ///
    /// Returns the image itself if it is empty or the size is invalid.
    ///
    /// - Parameters:
    ///   - targetSize: The size in points.
    ///   - contentMode: How the image is fitted to the size.
    /// - Returns: The resized image.
    public func resize(
        to targetSize: CGSize,
        for contentMode: ContentMode
    ) -> KFCrossPlatformImage {
        base.resized(to: targetSize, for: contentMode) ?? base
    }
}

extension KFCrossPlatformImage {
    /// The image in another size; nil if it is empty or the size is invalid.
    func resized(to size: CGSize, for mode: ContentMode) -> KFCrossPlatformImage? {
        guard let bitmap,
            let (part, pixels) = bitmap.size.resizing(to: size, for: mode, scale: scale)
        else { return nil }
        // Nil is the documented result for an invalid size.
        guard let resized = try? resample(crop(bitmap, to: part), to: pixels) else { return nil }
        return KFCrossPlatformImage(bitmap: resized, scale: scale)
    }

    /// The image scaled down to a longer side; the image at the new scale if it is already smaller.
    func downsampled(to pointSize: CGSize, scale: CGFloat) -> KFCrossPlatformImage? {
        guard let bitmap, let target = DownsamplingSize.target(pointSize, scale: scale) else {
            return nil
        }
        guard case .fit(let box) = target else { return kf.scaled(to: scale) }
        let size = bitmap.size.fitted(inside: box)
        guard size != bitmap.size else { return kf.scaled(to: scale) }
        // Nil is the documented result for an invalid size.
        guard let resized = try? resample(bitmap, to: size) else { return nil }
        return KFCrossPlatformImage(bitmap: resized, scale: scale)
    }
}

extension PixelSize {
    /// A size in points converted to pixels, at least 1 for each positive side; nil if a side is out
    /// of range or not a number.
    init?(points: CGSize, scale: CGFloat) {
        func pixels(_ side: CGFloat) -> CGFloat {
            side > 0 ? max(1, (side * scale).rounded()) : side
        }
        let width = pixels(points.width)
        let height = pixels(points.height)
        let range = CGFloat(1)...CGFloat(PixelLimits.maxDimension)
        guard range.contains(width), range.contains(height) else {
            // Not for an empty size or NaN, which no limit refused.
            if width >= 1, height >= 1 {
                let bound = CGFloat(Int32.max)
                PixelScope.refuse(
                    PixelSize(width: Int(min(width, bound)), height: Int(min(height, bound)))
                )
            }
            return nil
        }
        self.init(width: Int(width), height: Int(height))
    }
}

extension CGSize: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == CGSize {
    /// Returns the size of an image of this size after fitting it into a target.
    ///
    /// - Parameters:
    ///   - size: The size of the target.
    ///   - contentMode: How the image is fitted.
    /// - Returns: The resulting size, in the unit of `size`.
    public func resize(to size: CGSize, for contentMode: ContentMode) -> CGSize {
        switch contentMode {
        case .none: size
        case .aspectFit: constrained(size)
        case .aspectFill: filling(size)
        }
    }

    /// The largest size with this aspect ratio that fits inside `size`.
    ///
    /// Sides are rounded to whole numbers, and to 1 rather than to 0.
    public func constrained(_ size: CGSize) -> CGSize {
        let (width, height) = derivedSides(size)
        return width > size.width
            ? CGSize(width: size.width, height: height)
            : CGSize(width: width, height: size.height)
    }

    /// The smallest size with this aspect ratio that covers `size`.
    ///
    /// Sides are rounded to whole numbers, and to 1 rather than to 0.
    public func filling(_ size: CGSize) -> CGSize {
        let (width, height) = derivedSides(size)
        return width < size.width
            ? CGSize(width: size.width, height: height)
            : CGSize(width: width, height: size.height)
    }

    /// The width that belongs to the height of `size`, and the height that belongs to its width.
    private func derivedSides(_ size: CGSize) -> (width: CGFloat, height: CGFloat) {
        func side(_ exact: CGFloat, _ limit: CGFloat) -> CGFloat {
            // A side of less than 1 may be asked for; it is not exceeded.
            exact > 0 ? max(exact.rounded(), min(1, limit)) : exact.rounded()
        }
        return (side(ratio * size.height, size.width), side(size.width / ratio, size.height))
    }

    /// A rectangle of `size` positioned by an anchor and clipped to the bounds of this size.
    ///
    /// - Parameters:
    ///   - size: The size of the rectangle.
    ///   - anchor: (0, 0) is the top left corner, (1, 1) the bottom right one; clamped to 0…1.
    /// - Returns: The visible part of the rectangle; null if an edge is not a number.
    public func constrainedRect(for size: CGSize, anchor: CGPoint) -> CGRect {
        let x = min(1, max(0, anchor.x)) * (base.width - size.width)
        let y = min(1, max(0, anchor.y)) * (base.height - size.height)
        let wanted = CGRect(x: x, y: y, width: size.width, height: size.height)
        let bounds = CGRect(origin: .zero, size: base)
        // Foundation's intersection traps if an edge is not a number.
        let edges = [wanted, bounds].flatMap { [$0.minX, $0.maxX, $0.minY, $0.maxY] }
        return edges.contains { $0.isNaN } ? .null : wanted.intersection(bounds)
    }

    private var ratio: CGFloat {
        base.height == 0 ? 1 : base.width / base.height
    }
}
