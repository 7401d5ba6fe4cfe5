public import Foundation
import KFPixels

// Not part of Kingfisher for Apple platforms. As in `KFCrossPlatformImage+Drawing`, the methods
// return a still image at the image's own scale, or the image itself if the result cannot be made.

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns the most salient part of the image in exactly a size in points.
    ///
    /// Edges, skin tones and saturated colours count as salient. The largest area with the aspect
    /// ratio of `size` is placed where it contains most of them, and then resampled.
    ///
    /// - Parameter size: In points; a smaller image is enlarged to it.
    /// - Returns: An image of that size.
    public func smartCropped(to size: CGSize) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            guard let pixels = PixelSize(points: size, scale: base.scale) else { return bitmap }
            return try smartCrop(bitmap, to: pixels)
        }
    }

    /// Returns the image sharpened by an unsharp mask.
    ///
    /// - Parameters:
    ///   - amount: The strength, 0…16; 1 is clearly visible.
    ///   - radius: The radius of the mask in points; at least one pixel.
    /// - Returns: The sharpened image.
    public func sharpened(amount: CGFloat = 1, radius: CGFloat = 1) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            guard let reach = base.wholePixels(radius) else { return bitmap }
            return try sharpen(bitmap, amount: Double(amount), size: 2 * max(1, reach) + 1)
        }
    }

    /// Returns the image rotated clockwise on a canvas that contains all of it.
    ///
    /// - Parameters:
    ///   - degrees: Any angle. Multiples of 90 are lossless.
    ///   - backgroundColor: Fills the area around the image; nil leaves it transparent.
    /// - Returns: The rotated image.
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

    /// Returns the image mirrored.
    public func flipped(_ direction: FlipDirection) -> KFCrossPlatformImage {
        base.redrawn {
            switch direction {
            case .horizontal: try flipHorizontally($0)
            case .vertical: try flipVertically($0)
            }
        }
    }

    /// Returns the image with margins added, or with its edges removed where a margin is negative.
    ///
    /// - Parameters:
    ///   - top: In points.
    ///   - left: In points.
    ///   - bottom: In points.
    ///   - right: In points.
    ///   - backgroundColor: Fills the margins; nil leaves them transparent.
    /// - Returns: The larger or smaller image.
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

    /// Returns the image without the margin that has the colour of its top left pixel.
    ///
    /// - Parameter tolerance: The maximum difference per channel from that colour, 0…1.
    /// - Returns: The smaller image; the image itself if all of it is margin.
    public func trimmed(tolerance: CGFloat = 0) -> KFCrossPlatformImage {
        base.redrawn {
            let share = tolerance > 0 ? min(tolerance, 1) : 0
            return try trim($0, tolerance: Int((share * 255).rounded()))
        }
    }

    /// Returns the image with another image drawn over it.
    ///
    /// - Parameters:
    ///   - watermark: Drawn in its own size in points; clipped to the image.
    ///   - anchor: (0, 0) is the top left corner, (1, 1) the bottom right one.
    ///   - margin: The distance from the edges in points.
    ///   - alpha: The opacity of the watermark, clamped to 0…1.
    /// - Returns: The combined image.
    public func watermarked(
        with watermark: KFCrossPlatformImage,
        anchor: CGPoint = CGPoint(x: 1, y: 1),
        margin: CGFloat = 0,
        alpha: CGFloat = 1
    ) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            guard alpha > 0, !anchor.x.isNaN, !anchor.y.isNaN,
                let inset = base.wholePixels(margin),
                let size = watermark.pixelSize(at: base.scale)
            else { return bitmap }
            func place(_ share: CGFloat, _ own: Int, _ mark: Int) -> Int {
                let free = CGFloat(own - mark - 2 * inset)
                return inset + Int((min(1, max(0, share)) * free).rounded())
            }
            let whole = PixelRect(
                origin: (
                    place(anchor.x, bitmap.width, size.width),
                    place(anchor.y, bitmap.height, size.height)
                ),
                size: size
            )
            let shown = whole.intersection(PixelRect(size: bitmap.size))
            // Nothing is made of a large watermark that would not be seen.
            guard !shown.isEmpty, let mark = try watermark.pixels(at: size, shown, of: whole)
            else { return bitmap }
            return try composite(
                mark,
                over: bitmap,
                x: shown.x,
                y: shown.y,
                alpha: Double(alpha)
            )
        }
    }
}

extension KFCrossPlatformImage {
    /// The size in pixels at another scale; nil if the image is empty.
    fileprivate func pixelSize(at scale: CGFloat) -> PixelSize? {
        scale == self.scale ? bitmap?.size : PixelSize(points: size, scale: scale)
    }

    /// A part of the bitmap resampled to a size; nil if the image is empty.
    fileprivate func pixels(
        at size: PixelSize,
        _ part: PixelRect,
        of whole: PixelRect
    ) throws -> Bitmap? {
        guard let bitmap else { return nil }
        let place = PixelRect(origin: (part.x - whole.x, part.y - whole.y), size: part.size)
        return try resample(bitmap, to: size, part: place)
    }

    /// Points converted to whole pixels, clamped to ±2²⁰; nil for NaN.
    fileprivate func wholePixels(_ points: CGFloat) -> Int? {
        let pixels = (points * scale).rounded()
        guard !pixels.isNaN else { return nil }
        return Int(max(-1_048_576, min(1_048_576, pixels)))
    }
}

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns the image stretched to a size in points, with rounded corners.
    ///
    /// Returns the image itself if it is empty or the size is invalid.
    ///
    /// - Parameters:
    ///   - radius: The radius of each corner, limited to half of the shorter side.
    ///   - size: The size of the result in points.
    ///   - corners: The corners to round.
    ///   - backgroundColor: The colour of transparent pixels and of the area outside the corners; nil
    ///     leaves both transparent.
    /// - Returns: The rounded image.
    public func image(
        withRadius radius: Radius,
        fit size: CGSize,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        guard let bitmap = base.bitmap, let target = PixelSize(points: size, scale: base.scale)
        else { return base }
        let points = Double(radius.compute(with: size) * base.scale)
        let radii = CornerRadii(points, at: corners)
        do {
            let resized = target == bitmap.size ? bitmap : try resample(bitmap, to: target)
            var result = try roundCorners(resized, radii: radii)
            if let backgroundColor {
                result = try fillBackground(result, color: backgroundColor.rgba)
            }
            return KFCrossPlatformImage(bitmap: result, scale: base.scale)
        } catch {
            return base
        }
    }

    /// Returns the image stretched to a size, with corners rounded by a radius in points.
    ///
    /// See ``image(withRadius:fit:roundingCorners:backgroundColor:)``.
    public func image(
        withRoundRadius radius: CGFloat,
        fit size: CGSize,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        image(
            withRadius: .point(radius),
            fit: size,
            roundingCorners: corners,
            backgroundColor: backgroundColor
        )
    }
}
