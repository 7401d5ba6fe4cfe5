public import Foundation
import Pixels

// Every method here gives a still picture with the image's own scale, and the image itself when it
// is empty, when nothing would change, or when what is asked for cannot be made.

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The part of a size in points that an anchor picks.
    ///
    /// The image itself when it is empty, or the size has no area or is no number.
    ///
    /// - Parameters:
    ///   - size: In points; what reaches beyond the picture is cut. Rounded to whole pixels.
    ///   - anchor: (0, 0) keeps the top left corner, (1, 1) the bottom right one, (0.5, 0.5) the
    ///     middle; brought inside 0…1.
    /// - Returns: The cut picture.
    public func crop(to size: CGSize, anchorOn anchor: CGPoint) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            guard let rect = base.pixelRect(of: size, anchor: anchor) else { return bitmap }
            return try Pixels.crop(bitmap, to: rect)
        }
    }

    /// The picture blurred by an approximate Gaussian, made of box passes.
    ///
    /// - Parameter radius: The standard deviation in pixels; less than 2 counts as 2.
    /// - Returns: The blurred picture. Cost: the same for every radius.
    public func blurred(withRadius radius: CGFloat) -> KFCrossPlatformImage {
        base.redrawn { try blur($0, radius: Double(radius)) }
    }

    /// The picture with a border inside its edges.
    public func addingBorder(_ border: Border) -> KFCrossPlatformImage {
        base.redrawn { bitmap in
            let line = border.lineWidth
            // The stroke runs half its width inside the edges, and its radius is that of its
            // middle: the outer edge lies half a width further out.
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

    /// The picture over a colour of its own shape.
    ///
    /// - Parameters:
    ///   - color: What lies below; it covers what the picture covers.
    ///   - fraction: 0 gives the colour alone, 1 the picture alone; brought inside 0…1.
    /// - Returns: The mix.
    public func overlaying(
        with color: KFCrossPlatformColor,
        fraction: CGFloat
    ) -> KFCrossPlatformImage {
        base.redrawn { try overlay($0, color: color.rgba, fraction: Double(fraction)) }
    }

    /// The picture below a colour that covers its whole extent, transparent parts too.
    public func tinted(with color: KFCrossPlatformColor) -> KFCrossPlatformImage {
        base.redrawn { try tint($0, color: color.rgba) }
    }

    /// The picture with other brightness, contrast, saturation and exposure.
    ///
    /// - Parameters:
    ///   - brightness: Added; 0 changes nothing, 1 makes black white.
    ///   - contrast: The factor about the middle grey; 1 changes nothing.
    ///   - saturation: 0 is grey, 1 changes nothing.
    ///   - inputEV: The exposure in stops; 1 doubles the light.
    /// - Returns: The changed picture.
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

    /// The picture drawn with a blend mode onto a canvas of its own size.
    ///
    /// - Parameters:
    ///   - blendMode: How the picture is mixed with the canvas.
    ///   - alpha: The picture's opacity, brought inside 0…1.
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
}

extension KFCrossPlatformImage {
    /// A still picture of changed pixels; the image itself when it is empty or they are refused.
    func redrawn(_ draw: (Bitmap) throws -> Bitmap) -> KFCrossPlatformImage {
        // The contract of drawing is the unchanged image for what cannot be drawn.
        guard let bitmap, let result = try? draw(bitmap) else { return self }
        let isSame = result.storage === bitmap.storage && result.size == bitmap.size
        return isSame ? self : KFCrossPlatformImage(bitmap: result, scale: scale)
    }

    /// The pixels that a size in points covers at an anchor; nil when there are none.
    fileprivate func pixelRect(of wanted: CGSize, anchor: CGPoint) -> PixelRect? {
        guard wanted.width > 0, wanted.height > 0, !anchor.x.isNaN, !anchor.y.isNaN else {
            return nil
        }
        // Held to the picture before the arithmetic: infinite sizes would end in no number.
        let held = CGSize(
            width: min(wanted.width, size.width),
            height: min(wanted.height, size.height)
        )
        let rect = size.kf.constrainedRect(for: held, anchor: anchor)
        let width = max(1, Int((rect.width * scale).rounded()))
        let height = max(1, Int((rect.height * scale).rounded()))
        return PixelRect(
            x: min(Int((rect.minX * scale).rounded()), pixelWidth - width),
            y: min(Int((rect.minY * scale).rounded()), pixelHeight - height),
            width: width,
            height: height
        )
    }
}

extension CornerRadii {
    /// The same radius at some corners, none at the others; not a number counts as none.
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
