public import Foundation
import Pixels

// What the reference has not. The same contract as in `KFCrossPlatformImage+Drawing`: a still
// picture of the image's own scale, or the image itself when nothing can be done.

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The part that draws attention, in exactly a size in points.
    ///
    /// Attention is edges, skin tones and saturated colours; the largest part of the size's ratio
    /// is cut where there is most of it, and resampled.
    ///
    /// - Parameter size: In points; a larger picture is enlarged to it.
    /// - Returns: A picture of that size.
    public func smartCropped(to size: CGSize) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            guard let pixels = PixelSize(points: size, scale: base.scale) else { return bitmap }
            return try smartCrop(bitmap, to: pixels)
        }
    }

    /// The picture sharpened by an unsharp mask.
    ///
    /// - Parameters:
    ///   - amount: How much of the lost detail is added, 0…16; 1 is clearly seen.
    ///   - radius: How far detail reaches, in points; at least one pixel.
    /// - Returns: The sharpened picture.
    public func sharpened(amount: CGFloat = 1, radius: CGFloat = 1) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            guard let reach = base.wholePixels(radius) else { return bitmap }
            return try sharpen(bitmap, amount: Double(amount), size: 2 * max(1, reach) + 1)
        }
    }

    /// The picture turned clockwise on a canvas that holds all of it.
    ///
    /// - Parameters:
    ///   - degrees: Any angle. Multiples of 90 move pixels and change none.
    ///   - backgroundColor: Fills what the picture leaves free; nil leaves it transparent.
    /// - Returns: The turned picture.
    public func rotated(
        degrees: CGFloat,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        base.redrawn {
            try rotate(
                $0,
                degrees: Double(degrees),
                background: backgroundColor?.rgba ?? .clear
            )
        }
    }

    /// The picture mirrored.
    public func flipped(_ direction: FlipDirection) -> KFCrossPlatformImage {
        base.redrawn {
            switch direction {
            case .horizontal: try flipHorizontally($0)
            case .vertical: try flipVertically($0)
            }
        }
    }

    /// The picture with room around it, or without its edges where a margin is negative.
    ///
    /// - Parameters:
    ///   - top: In points, as are the others.
    ///   - left: In points.
    ///   - bottom: In points.
    ///   - right: In points.
    ///   - backgroundColor: Fills the room; nil leaves it transparent.
    /// - Returns: The larger or smaller picture.
    public func padded(
        top: CGFloat = 0,
        left: CGFloat = 0,
        bottom: CGFloat = 0,
        right: CGFloat = 0,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            guard let top = base.wholePixels(top), let left = base.wholePixels(left),
                let bottom = base.wholePixels(bottom), let right = base.wholePixels(right),
                (top, left, bottom, right) != (0, 0, 0, 0)
            else { return bitmap }
            return try pad(
                bitmap,
                top: top,
                left: left,
                bottom: bottom,
                right: right,
                color: backgroundColor?.rgba ?? .clear
            )
        }
    }

    /// The picture without the margin that has the colour of its top left pixel.
    ///
    /// - Parameter tolerance: How far the margin's channels may be from that colour, 0…1.
    /// - Returns: The smaller picture; the image itself when all of it is margin.
    public func trimmed(tolerance: CGFloat = 0) -> KFCrossPlatformImage {
        base.redrawn {
            let share = tolerance > 0 ? min(tolerance, 1) : 0
            return try trim($0, tolerance: Int((share * 255).rounded()))
        }
    }

    /// The picture with another one laid over it.
    ///
    /// - Parameters:
    ///   - watermark: Drawn in its own size in points; what reaches beyond the picture is cut.
    ///   - anchor: (0, 0) is the top left corner, (1, 1) the bottom right one.
    ///   - margin: How far from the edges it stays, in points.
    ///   - alpha: Its opacity, brought inside 0…1.
    /// - Returns: Both.
    public func watermarked(
        with watermark: KFCrossPlatformImage,
        anchor: CGPoint = CGPoint(x: 1, y: 1),
        margin: CGFloat = 0,
        alpha: CGFloat = 1
    ) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            guard alpha > 0, !anchor.x.isNaN, !anchor.y.isNaN,
                let inset = base.wholePixels(margin),
                let mark = try watermark.pixels(at: base.scale)
            else { return bitmap }
            func place(_ share: CGFloat, _ own: Int, _ mark: Int) -> Int {
                let free = CGFloat(own - mark - 2 * inset)
                return inset + Int((min(1, max(0, share)) * free).rounded())
            }
            return try composite(
                mark,
                over: bitmap,
                x: place(anchor.x, bitmap.width, mark.width),
                y: place(anchor.y, bitmap.height, mark.height),
                alpha: Double(alpha)
            )
        }
    }
}

extension KFCrossPlatformImage {
    /// The pixels that the image has when it is drawn at another scale; nil when it has none.
    fileprivate func pixels(at scale: CGFloat) throws -> Bitmap? {
        guard let bitmap, let wanted = PixelSize(points: size, scale: scale) else { return nil }
        return try resample(bitmap, to: scale == self.scale ? bitmap.size : wanted)
    }

    /// Points as whole pixels, held to ±2²⁰; nil when they are no number.
    fileprivate func wholePixels(_ points: CGFloat) -> Int? {
        let pixels = (points * scale).rounded()
        guard !pixels.isNaN else { return nil }
        return Int(max(-1_048_576, min(1_048_576, pixels)))
    }
}
