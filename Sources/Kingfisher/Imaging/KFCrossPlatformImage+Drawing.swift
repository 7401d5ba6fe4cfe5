public import Foundation
import KFPixels

// Every method here returns a still image at the image's own scale. It returns the image itself if
// it is empty, if nothing would change, or if the result cannot be made.

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns the part of the image that a size and an anchor select.
    ///
    /// Returns the image itself if it is empty, or if the size is empty or not a number.
    ///
    /// - Parameters:
    ///   - size: In points, rounded to whole pixels; limited to the size of the image.
    ///   - anchor: (0, 0) keeps the top left corner, (1, 1) the bottom right one, (0.5, 0.5) the
    ///     centre; clamped to 0…1.
    /// - Returns: The cropped image.
    public func crop(to size: CGSize, anchorOn anchor: CGPoint) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            let part = bitmap.size.part(of: size, anchor: anchor, scale: base.scale)
            guard let rect = part else { return bitmap }
            return try KFPixels.crop(bitmap, to: rect)
        }
    }

    /// Returns the image with an approximate Gaussian blur, made of box filters.
    ///
    /// The cost does not depend on the radius.
    ///
    /// - Parameter radius: The standard deviation in pixels, at least 2.
    /// - Returns: The blurred image.
    public func blurred(withRadius radius: CGFloat) -> KFCrossPlatformImage {
        base.redrawn { try blur($0, radius: Double(radius)) }
    }

    /// Returns the image with a border inside its edges.
    public func addingBorder(_ border: Border) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            let line = border.lineWidth
            // The stroke is centred half its width inside the edges. The given radius is that of
            // its centre line; the outer edge lies half a width further out.
            let stroke = CGSize(width: base.size.width - line, height: base.size.height - line)
            let radius = border.radius.compute(with: stroke)
            let outer = radius > line / 2 ? Double(radius * base.scale) : 0
            return try addBorder(
                bitmap,
                color: border.color.rgba,
                lineWidth: Double(line * base.scale),
                radii: CornerRadii(outer, at: border.roundingCorners)
            )
        }
    }

    /// Returns the image mixed with a colour in the image's shape.
    ///
    /// - Parameters:
    ///   - color: The colour; it covers the area that the image covers.
    ///   - fraction: 0 gives only the colour, 1 only the image; clamped to 0…1.
    /// - Returns: The mixed image.
    public func overlaying(
        with color: KFCrossPlatformColor,
        fraction: CGFloat
    ) -> KFCrossPlatformImage {
        base.redrawn { try overlay($0, color: color.rgba, fraction: Double(fraction)) }
    }

    /// Returns the image with a colour drawn over all of it, including transparent parts.
    public func tinted(with color: KFCrossPlatformColor) -> KFCrossPlatformImage {
        base.redrawn { try tint($0, color: color.rgba) }
    }

    /// Returns the image with changed brightness, contrast, saturation and exposure.
    ///
    /// - Parameters:
    ///   - brightness: Added to every channel; 0 changes nothing, 1 turns black into white.
    ///   - contrast: A factor around middle grey; 1 changes nothing.
    ///   - saturation: 0 is greyscale, 1 changes nothing.
    ///   - inputEV: The exposure in stops; 1 doubles the brightness of the light.
    /// - Returns: The changed image.
    public func adjusted(
        brightness: CGFloat,
        contrast: CGFloat,
        saturation: CGFloat,
        inputEV: CGFloat
    ) -> KFCrossPlatformImage {
        base.redrawn {
            try adjustColor(
                $0,
                brightness: Double(brightness),
                contrast: Double(contrast),
                saturation: Double(saturation),
                exposure: Double(inputEV)
            )
        }
    }

    /// Returns the image drawn with a blend mode onto a canvas of its own size.
    ///
    /// - Parameters:
    ///   - blendMode: How the image is blended with the canvas.
    ///   - alpha: The opacity of the image, clamped to 0…1.
    ///   - backgroundColor: Fills the canvas; nil leaves it transparent.
    /// - Returns: The canvas.
    public func image(
        withBlendMode blendMode: CGBlendMode,
        alpha: CGFloat = 1.0,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        base.redrawn {
            try blend(
                $0,
                mode: blendMode.kernel,
                alpha: Double(alpha),
                background: backgroundColor?.rgba
            )
        }
    }

    /// Returns the image composited with a canvas of its own size, with the names of AppKit.
    ///
    /// See ``image(withBlendMode:alpha:backgroundColor:)``.
    public func image(
        withCompositingOperation compositingOperation: NSCompositingOperation,
        alpha: CGFloat = 1.0,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> KFCrossPlatformImage {
        image(
            withBlendMode: compositingOperation.blendMode,
            alpha: alpha,
            backgroundColor: backgroundColor
        )
    }
}

extension KFCrossPlatformImage {
    /// A still image with the drawn pixels; the image itself if it is empty or `draw` throws.
    func redrawn(_ draw: (Bitmap) throws -> Bitmap) -> KFCrossPlatformImage {
        // Drawing methods return the unchanged image on failure.
        guard let bitmap, let result = try? draw(bitmap) else { return self }
        let isSame = result.storage === bitmap.storage && result.size == bitmap.size
        return isSame ? self : KFCrossPlatformImage(bitmap: result, scale: scale)
    }
}

extension PixelSize {
    /// The pixels covered by a size in points at an anchor; nil if there are none.
    func part(of wanted: CGSize, anchor: CGPoint, scale: CGFloat) -> PixelRect? {
        guard wanted.width > 0, wanted.height > 0, !anchor.x.isNaN, !anchor.y.isNaN else {
            return nil
        }
        let size = CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
        // Clamped before the arithmetic, because an infinite size would yield NaN.
        let held = CGSize(
            width: min(wanted.width, size.width),
            height: min(wanted.height, size.height)
        )
        let rect = size.kf.constrainedRect(for: held, anchor: anchor)
        let partWidth = max(1, Int((rect.width * scale).rounded()))
        let partHeight = max(1, Int((rect.height * scale).rounded()))
        return PixelRect(
            x: min(Int((rect.minX * scale).rounded()), width - partWidth),
            y: min(Int((rect.minY * scale).rounded()), height - partHeight),
            width: partWidth,
            height: partHeight
        )
    }
}

extension CornerRadii {
    /// The same radius for the given corners and 0 for the others; a radius that is not finite
    /// counts as 0.
    init(_ radius: Double, at corners: RectCorner) {
        let radius = radius.isFinite ? max(0, radius) : 0
        self.init(
            topLeft: corners.contains(.topLeft) ? radius : 0,
            topRight: corners.contains(.topRight) ? radius : 0,
            bottomLeft: corners.contains(.bottomLeft) ? radius : 0,
            bottomRight: corners.contains(.bottomRight) ? radius : 0
        )
    }
}
