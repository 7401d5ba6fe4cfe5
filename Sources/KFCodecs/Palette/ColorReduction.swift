import KFPixels

/// Reduces the colours of a bitmap by median cut, and diffuses the errors.
///
/// The palette's colours are those of the boxes' pixels on average, after one step of k-means.
/// Colours are compared premultiplied, because the colour of a nearly transparent pixel hardly
/// matters. Opaque pixels get opaque colours, transparent ones the one that is transparent, and the
/// others those that are neither.
///
/// Sources: Heckbert, "Color Image Quantization for Frame Buffer Display" (1982); Lloyd, "Least
/// Squares Quantization in PCM" (1982); Floyd and Steinberg, "An Adaptive Algorithm for Spatial Grey
/// Scale" (1976).
struct ColorReduction {
    private let bitmap: Bitmap
    private let hasTransparency: Bool
    private let bins: ColorBins
    /// Premultiplied; without the transparent colour.
    private var palette: [RGBA]

    /// Chooses the palette.
    init(of bitmap: Bitmap, to maxCount: Int) {
        self.bitmap = bitmap
        var (hasTransparency, hasPartialAlpha) = (false, false)
        if !bitmap.isOpaque {
            bitmap.forEachRow { _, pixel in
                for x in 0..<bitmap.width {
                    let alpha = pixel(x) >> 24
                    if alpha == 0 { hasTransparency = true }
                    if alpha > 0, alpha < 255 { hasPartialAlpha = true }
                }
                return !hasTransparency || !hasPartialAlpha
            }
        }
        self.hasTransparency = hasTransparency
        bins = ColorBins(hasPartialAlpha: hasPartialAlpha)
        var histogram = ColorHistogram(bins)
        bitmap.forEachRow { _, pixel in
            for x in 0..<bitmap.width where pixel(x) >> 24 > 0 {
                histogram.count(RGBA(pixel: pixel(x)))
            }
            return true
        }
        palette = histogram.palette(of: maxCount - (hasTransparency ? 1 : 0))
        refine()
    }

    /// Moves each colour to the mean of the pixels that it is nearest to.
    private mutating func refine() {
        var finder = ColorFinder(palette, bins)
        var sums = [ColorSum](repeating: ColorSum(), count: palette.count)
        bitmap.forEachRow { _, pixel in
            for x in 0..<bitmap.width where pixel(x) >> 24 > 0 {
                let color = RGBA(pixel: pixel(x))
                sums[Int(finder.nearest(color))].add(color)
            }
            return true
        }
        palette = zip(palette, sums).map { color, sum in sum.mean ?? color }
    }

    /// The indices of the pixels, and the palette with the transparent colour in front.
    ///
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    func indexed() throws(CodecError) -> IndexedPixels {
        let storage = try PixelStorage.forEncoding(bitmap.size.byteCount(bytesPerPixel: 1))
        let indices = storage.base.assumingMemoryBound(to: UInt8.self)
        diffuse(to: indices, firstIndex: hasTransparency ? 1 : 0)
        let colors = palette.map { RGBA(straightening: $0.pixel) }
        return IndexedPixels(
            bitmap.size,
            palette: (hasTransparency ? [.clear] : []) + colors,
            storage
        )
    }

    private func diffuse(to indices: UnsafeMutablePointer<UInt8>, firstIndex: UInt8) {
        var finder = ColorFinder(palette, bins)
        let colors = palette.map(SIMD4<Int32>.init(color:))
        // Sixteenths, with a margin of one pixel on both sides.
        var current = [SIMD4<Int32>](repeating: .zero, count: bitmap.width + 2)
        var next = current
        bitmap.forEachRow { y, pixel in
            let row = indices + y * bitmap.width
            for x in 0..<bitmap.width where pixel(x) >> 24 > 0 {
                let original = RGBA(pixel: pixel(x))
                let sum = SIMD4(color: original) &+ (current[x + 1] &+ 8) &>> 4
                // A colour that is opaque or not stays so.
                let highest = SIMD4<Int32>(255, 255, 255, original.alpha == 255 ? 255 : 254)
                let lowest = SIMD4<Int32>(0, 0, 0, original.alpha == 255 ? 255 : 1)
                let wanted = sum.clamped(lowerBound: lowest, upperBound: highest)
                let index = finder.nearest(RGBA(wanted))
                row[x] = firstIndex + index
                let error = wanted &- colors[Int(index)]
                current[x + 2] &+= error &* 7
                next[x] &+= error &* 3
                next[x + 1] &+= error &* 5
                next[x + 2] &+= error
            }
            swap(&current, &next)
            for index in next.indices { next[index] = .zero }
            return true
        }
    }
}
