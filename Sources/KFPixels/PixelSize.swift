/// A size in whole pixels.
package struct PixelSize: Hashable, Sendable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels; nil if a side is negative or the product overflows.
    package var pixelCount: Int? {
        guard width >= 0, height >= 0 else { return nil }
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? nil : product
    }

    /// The bytes of a bitmap of this size; `Int.max` if the product overflows, 0 if a side is
    /// negative.
    package var byteCount: Int {
        guard width >= 0, height >= 0 else { return 0 }
        return (pixelCount ?? .max).multipliedSaturating(by: Bitmap.bytesPerPixel)
    }

    /// The bytes of ``pixelCount`` pixels of `bytesPerPixel` each; `Int.max` if the count is nil or
    /// the product overflows, so that every limit rejects it.
    package func byteCount(bytesPerPixel: Int) -> Int {
        (pixelCount ?? .max).multipliedSaturating(by: bytesPerPixel)
    }

    package var isEmpty: Bool { width <= 0 || height <= 0 }

    package var longestSide: Int { max(width, height) }

    /// The size with width and height exchanged.
    package var transposed: PixelSize { PixelSize(width: height, height: width) }
}

extension PixelSize: CustomStringConvertible {
    package var description: String { "\(width) × \(height)" }
}

extension PixelSize {
    /// The largest size of this aspect ratio that fits inside `box`: at least 1 × 1, never larger
    /// than this size.
    package func fitted(inside box: PixelSize) -> PixelSize {
        guard !isEmpty, width > box.width || height > box.height else { return self }
        let scale = min(
            Double(box.width) / Double(width),
            Double(box.height) / Double(height)
        )
        return PixelSize(
            width: max(1, min(box.width, Int((Double(width) * scale).rounded()))),
            height: max(1, min(box.height, Int((Double(height) * scale).rounded())))
        )
    }
}

extension Int {
    /// The product of two nonnegative counts; `Int.max` on overflow.
    package func multipliedSaturating(by other: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }

    /// The sum of two nonnegative counts; `Int.max` on overflow.
    package func addingSaturating(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
