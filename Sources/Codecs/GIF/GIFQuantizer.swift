import Pixels

/// Chooses the palette of a GIF frame and assigns an index to each pixel.
///
/// Up to 255 colours are kept exactly. More are reduced by median cut over a histogram of five bits
/// per channel, with error diffusion.
///
/// Sources: Heckbert, "Color Image Quantization for Frame Buffer Display" (1982); Floyd and
/// Steinberg, "An Adaptive Algorithm for Spatial Grey Scale" (1976).
struct GIFQuantizer {
    /// At most 255 colours, which leaves room for the transparent one.
    private(set) var palette: [RGBA] = []
    /// One index per pixel.
    ///
    /// The index ``palette``.count stands for transparent.
    private(set) var indices: [UInt8]
    private(set) var hasTransparency = false

    private static let maxColorCount = 255
    /// Pixels below this alpha become transparent: the format has no partial transparency.
    private static let threshold: UInt8 = 128

    init(_ bitmap: Bitmap) throws(CodecError) {
        let size = bitmap.size
        indices = [UInt8](repeating: 0, count: size.byteCount(bytesPerPixel: 1))
        let pixels = try StraightPixels(bitmap)
        withExtendedLifetime(pixels) {
            guard !keepColors(pixels, size) else { return }
            reduceColors(pixels, size)
        }
    }

    /// Tries to keep every colour; returns false if there are too many.
    private mutating func keepColors(_ pixels: StraightPixels, _ size: PixelSize) -> Bool {
        var known: [UInt32: UInt8] = [:]
        var last: (color: UInt32, index: UInt8)?
        for y in 0..<size.height {
            let row = pixels.base + y * pixels.bytesPerRow
            for x in 0..<size.width {
                let pixel = row + x * 4
                guard pixel[3] >= Self.threshold else { continue }
                let color = UInt32(pixel[0]) << 16 | UInt32(pixel[1]) << 8 | UInt32(pixel[2])
                if let last, last.color == color {
                    indices[y * size.width + x] = last.index
                    continue
                }
                if known[color] == nil {
                    guard palette.count < Self.maxColorCount else {
                        palette = []
                        return false
                    }
                    known[color] = UInt8(palette.count)
                    palette.append(RGBA(red: pixel[0], green: pixel[1], blue: pixel[2]))
                }
                let index = known[color] ?? 0
                indices[y * size.width + x] = index
                last = (color, index)
            }
        }
        markTransparent(pixels, size)
        return true
    }

    private mutating func reduceColors(_ pixels: StraightPixels, _ size: PixelSize) {
        var histogram = GIFHistogram()
        for y in 0..<size.height {
            let row = pixels.base + y * pixels.bytesPerRow
            for x in 0..<size.width where row[x * 4 + 3] >= Self.threshold {
                histogram.count(row + x * 4)
            }
        }
        palette = histogram.palette(of: Self.maxColorCount)
        dither(pixels, size)
        markTransparent(pixels, size)
    }

    private mutating func markTransparent(_ pixels: StraightPixels, _ size: PixelSize) {
        let index = UInt8(palette.count)
        for y in 0..<size.height {
            let row = pixels.base + y * pixels.bytesPerRow
            for x in 0..<size.width where row[x * 4 + 3] < Self.threshold {
                indices[y * size.width + x] = index
                hasTransparency = true
            }
        }
    }

    private mutating func dither(_ pixels: StraightPixels, _ size: PixelSize) {
        var finder = GIFColorFinder(palette)
        // Errors in sixteenths, for this row and the next, with a margin of one pixel on both
        // sides.
        var current = [Int32](repeating: 0, count: (size.width + 2) * 3)
        var next = current
        for y in 0..<size.height {
            let row = pixels.base + y * pixels.bytesPerRow
            for x in 0..<size.width where row[x * 4 + 3] >= Self.threshold {
                var wanted: (Int32, Int32, Int32) = (0, 0, 0)
                wanted.0 = Self.corrected(row[x * 4], current[(x + 1) * 3])
                wanted.1 = Self.corrected(row[x * 4 + 1], current[(x + 1) * 3 + 1])
                wanted.2 = Self.corrected(row[x * 4 + 2], current[(x + 1) * 3 + 2])
                let index = finder.nearest(wanted)
                indices[y * size.width + x] = index
                let found = palette[Int(index)]
                let errors = (
                    wanted.0 - Int32(found.red), wanted.1 - Int32(found.green),
                    wanted.2 - Int32(found.blue)
                )
                Self.spread(errors.0, at: x * 3, &current, &next)
                Self.spread(errors.1, at: x * 3 + 1, &current, &next)
                Self.spread(errors.2, at: x * 3 + 2, &current, &next)
            }
            swap(&current, &next)
            for index in next.indices { next[index] = 0 }
        }
    }

    private static func corrected(_ value: UInt8, _ sixteenths: Int32) -> Int32 {
        max(0, min(255, Int32(value) + (sixteenths + 8) >> 4))
    }

    // `offset` is that of the left neighbour, because of the margin.
    private static func spread(
        _ error: Int32,
        at offset: Int,
        _ current: inout [Int32],
        _ next: inout [Int32]
    ) {
        current[offset + 6] += error * 7
        next[offset] += error * 3
        next[offset + 3] += error * 5
        next[offset + 6] += error
    }
}
