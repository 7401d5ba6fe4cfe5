/// A size in whole pixels; both sides are at least 1.
struct Extent: Sendable, Hashable {
    let width: Int
    let height: Int

    /// Makes a size; sides below 1 become 1.
    init(width: Int, height: Int) {
        self.width = max(1, width)
        self.height = max(1, height)
    }

    /// Rounds sides to whole pixels; see ``Rounding/pixels(_:)``.
    init(width: Double, height: Double) {
        self.init(width: Rounding.pixels(width), height: Rounding.pixels(height))
    }

    /// The size with width and height exchanged.
    var transposed: Extent { Extent(width: height, height: width) }

    /// The longer side.
    var longestSide: Int { max(width, height) }

    /// The number of pixels; `Int.max` if the product overflows.
    var pixelCount: Int {
        let (product, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : product
    }
}

extension Extent: CustomStringConvertible {
    var description: String { "\(width) × \(height)" }
}

/// A rectangle in whole pixels inside an image.
struct Frame: Sendable, Hashable {
    var x: Int
    var y: Int
    var size: Extent
}

/// Conversion of computed lengths to whole pixels.
enum Rounding {
    /// The largest length, far above every limit, so that sums of a few lengths cannot overflow.
    static let largest = 1 << 40

    /// Rounds half up and clamps to ±``largest``; NaN becomes 0.
    ///
    /// A value that differs from a half only by the error of binary fractions counts as the half.
    static func pixels(_ value: Double) -> Int {
        guard !value.isNaN else { return 0 }
        let bound = Double(largest)
        return Int((max(-bound, min(bound, value)) + 0.5 + 1e-7).rounded(.down))
    }
}
