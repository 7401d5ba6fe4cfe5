import Foundation
import Kingfisher

/// The size and place of a watermark on a result.
struct WatermarkPlacing {
    private let mark: KFCrossPlatformImage
    private let options: ProcessingOptions.Watermark
    private let box: (width: Int, height: Int)
    private let result: Extent
    private let dpr: Double
    private let density: Double

    /// - Parameters:
    ///   - mark: The watermark in its own size.
    ///   - options: The size and place.
    ///   - box: The sides that the watermark has to fit; 0 for any, and both 0 for its own size or
    ///     scale.
    ///   - result: The size of the image to draw on.
    ///   - dpr: The factor of the watermark's own size or box, and of offsets in pixels.
    ///   - density: The pixels of the watermark for one of its own size.
    init(
        _ mark: KFCrossPlatformImage,
        _ options: ProcessingOptions.Watermark,
        in box: (width: Int, height: Int) = (0, 0),
        on result: Extent,
        dpr: Double,
        density: Double = 1
    ) {
        self.density = density
        (self.mark, self.options, self.result, self.dpr) = (mark, options, result, dpr)
        self.box = box
    }

    /// Makes the processor that draws the watermark.
    ///
    /// - Parameter opacity: The factor of the request's opacity.
    /// - Returns: The processor; nil if nothing of the watermark is visible.
    func processor(opacity: Double) -> (any ImageProcessor)? {
        let alpha = options.opacity * opacity
        guard alpha > 0, mark.pixelWidth > 0 else { return nil }
        let scaled = mark.kf.resize(
            to: CGSize(width: size.width, height: size.height),
            for: .none
        )
        switch options.position {
        case .at(let compass): return placed(scaled, at: compass, alpha)
        case .tiled: return tiled(scaled, alpha)
        }
    }

    /// The size of the watermark: its own, or the largest that fits the share of the result.
    ///
    /// Never more than four times the result, since only the part on the result is visible.
    var size: Extent {
        let own = (
            width: Double(mark.pixelWidth) / density, height: Double(mark.pixelHeight) / density
        )
        let (width, height) = (Double(result.width), Double(result.height))
        let most = min(4 * width / own.width, 4 * height / own.height)
        let boxed = [(box.width, own.width), (box.height, own.height)]
            .compactMap { wanted, own in wanted > 0 ? Double(wanted) * dpr / own : nil }.min()
        let scale = options.scale
        let scaled = scale > 0 ? min(scale * width / own.width, scale * height / own.height) : dpr
        let factor = min(boxed ?? scaled, most)
        return Extent(width: own.width * factor, height: own.height * factor)
    }

    // MARK: One

    private func placed(
        _ mark: KFCrossPlatformImage,
        at compass: ProcessingOptions.Compass,
        _ alpha: Double
    ) -> (any ImageProcessor)? {
        let (x, y) = origin(at: compass)
        let (width, height) = (mark.pixelWidth, mark.pixelHeight)
        let left = max(0, -x)
        let top = max(0, -y)
        let right = max(0, x + width - result.width)
        let bottom = max(0, y + height - result.height)
        guard left + right < width, top + bottom < height else { return nil }
        // The part on the result, so that an anchor from 0 to 1 describes its place.
        let visible = mark.kf.padded(
            top: CGFloat(-top),
            left: CGFloat(-left),
            bottom: CGFloat(-bottom),
            right: CGFloat(-right)
        )
        func share(_ place: Int, _ own: Int, _ side: Int) -> CGFloat {
            side > own ? CGFloat(place) / CGFloat(side - own) : 0
        }
        return WatermarkImageProcessor(
            watermark: visible,
            anchor: CGPoint(
                x: share(x + left, visible.pixelWidth, result.width),
                y: share(y + top, visible.pixelHeight, result.height)
            ),
            alpha: CGFloat(alpha)
        )
    }

    /// The place of the top left corner, which may lie outside the result.
    func origin(at compass: ProcessingOptions.Compass) -> (x: Int, y: Int) {
        let size = size
        func place(_ offset: Double, _ own: Int, _ side: Int, _ edge: Int) -> Int {
            let bound = Double(4 * side)
            let pixels = abs(offset) >= 1 ? offset * dpr : offset * Double(side)
            let inwards = max(-bound, min(bound, pixels.isNaN ? 0 : pixels))
            let free = Double(side - own)
            let start = edge < 0 ? inwards : edge > 0 ? free - inwards : free / 2 + inwards
            return Rounding.pixels(start)
        }
        return (
            place(options.x, size.width, result.width, compass.across),
            place(options.y, size.height, result.height, compass.down)
        )
    }

    // MARK: Tiles

    /// Tiles from the centre, with the offsets as gaps.
    private func tiled(_ mark: KFCrossPlatformImage, _ alpha: Double) -> (any ImageProcessor)? {
        func gap(_ offset: Double, _ side: Int) -> Int {
            let pixels = abs(offset) >= 1 ? offset * dpr : offset * Double(side)
            return max(0, min(side, Rounding.pixels(pixels)))
        }
        let (across, down) = (gap(options.x, result.width), gap(options.y, result.height))
        let tile = mark.kf.padded(
            top: CGFloat(down / 2),
            left: CGFloat(across / 2),
            bottom: CGFloat(down - down / 2),
            right: CGFloat(across - across / 2)
        )
        return tile.repeated(over: result).map {
            WatermarkImageProcessor(watermark: $0, anchor: .zero, alpha: CGFloat(alpha))
        }
    }
}

extension ProcessingOptions.Compass {
    /// −1 at the left edge, 1 at the right one.
    fileprivate var across: Int {
        switch self {
        case .west, .northWest, .southWest: -1
        case .north, .south, .centre: 0
        case .east, .northEast, .southEast: 1
        }
    }

    /// −1 at the top edge, 1 at the bottom one.
    fileprivate var down: Int {
        switch self {
        case .north, .northWest, .northEast: -1
        case .west, .east, .centre: 0
        case .south, .southWest, .southEast: 1
        }
    }
}

extension KFCrossPlatformImage {
    /// The image repeated over a size, with one copy exactly in the centre.
    fileprivate func repeated(over size: Extent) -> KFCrossPlatformImage? {
        let (width, height) = (pixelWidth, pixelHeight)
        guard width > 0, height > 0 else { return nil }
        func first(_ side: Int, _ own: Int) -> Int { (own - (side - own) / 2 % own) % own }
        let (left, top) = (first(size.width, width), first(size.height, height))
        let pixels = withPremultipliedRGBA { source, stride in
            [UInt8](unsafeUninitializedCapacity: size.pixelCount * 4) { target, count in
                for y in 0..<size.height {
                    let row = (y + top) % height * stride
                    for x in 0..<size.width {
                        let column = (x + left) % width
                        for byte in 0..<4 { target[count + byte] = source[row + column * 4 + byte] }
                        count += 4
                    }
                }
            }
        }
        return KFCrossPlatformImage(
            premultipliedRGBA: Data(pixels),
            width: size.width,
            height: size.height
        )
    }
}
