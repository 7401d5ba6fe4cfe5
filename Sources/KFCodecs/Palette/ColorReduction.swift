import KFPixels

/// Reduces the colours of a bitmap, and diffuses the errors.
///
/// Colours are compared premultiplied, because the colour of a nearly transparent pixel hardly
/// matters. Opaque pixels get opaque colours, transparent ones the one that is transparent, and the
/// others those that are neither.
///
/// Eleven sixteenths of an error are diffused, and none of pixels whose colour is in the palette or
/// next to one: flat parts stay flat, files get smaller, and nearer to the original.
///
/// Source: Floyd and Steinberg, "An Adaptive Algorithm for Spatial Grey Scale" (1976).
struct ColorReduction {
    private let bitmap: Bitmap
    private let hasTransparency: Bool
    /// Premultiplied; without the transparent colour.
    private let palette: [SIMD4<Int32>]

    /// The squared distance of two colours that differ by 1 in two channels.
    private static let hardlyDifferent: Int32 = 2

    /// Chooses the palette.
    init(of bitmap: Bitmap, to maxCount: Int) {
        self.bitmap = bitmap
        var hasTransparency = false
        var histogram = ColorHistogram()
        bitmap.forEachRow { _, pixel in
            for x in 0..<bitmap.width {
                if pixel(x) >> 24 > 0 {
                    histogram.count(pixel(x))
                } else {
                    hasTransparency = true
                }
            }
            return true
        }
        self.hasTransparency = hasTransparency
        palette = histogram.palette(of: maxCount - (hasTransparency ? 1 : 0))
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

    private func diffuse(to indices: UnsafeMutablePointer<UInt8>, firstIndex: Int) {
        var finder = ColorFinder(palette)
        // Sixteenths, with a margin of one pixel on both sides.
        var current = [SIMD4<Int32>](repeating: .zero, count: bitmap.width + 2)
        var next = current
        bitmap.forEachRow { y, pixel in
            let row = indices + y * bitmap.width
            for x in 0..<bitmap.width where pixel(x) >> 24 > 0 {
                let original = SIMD4<Int32>(pixel: pixel(x))
                let plain = finder.nearest(original)
                guard palette[plain].squaredDistance(to: original) > Self.hardlyDifferent else {
                    row[x] = UInt8(firstIndex + plain)
                    continue
                }
                let sum = original &+ (current[x + 1] &+ 8) &>> 4
                // A colour that is opaque or not stays so.
                let highest = SIMD4<Int32>(255, 255, 255, original.w == 255 ? 255 : 254)
                let lowest = SIMD4<Int32>(0, 0, 0, original.w == 255 ? 255 : 1)
                let wanted = sum.clamped(lowerBound: lowest, upperBound: highest)
                let index = finder.nearest(wanted)
                row[x] = UInt8(firstIndex + index)
                let error = wanted &- palette[index]
                current[x + 2] &+= error &* 5
                next[x] &+= error &* 2
                next[x + 1] &+= error &* 3
                next[x + 2] &+= error
            }
            swap(&current, &next)
            for index in next.indices { next[index] = .zero }
            return true
        }
    }
}
