/// A rectangle in whole pixels; the origin is the top left corner.
package struct PixelRect: Hashable, Sendable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    package init(origin: (x: Int, y: Int) = (0, 0), size: PixelSize) {
        self.init(x: origin.x, y: origin.y, width: size.width, height: size.height)
    }

    package var size: PixelSize { PixelSize(width: width, height: height) }

    package var isEmpty: Bool { width <= 0 || height <= 0 }

    /// The part that both rectangles share; empty if they do not overlap.
    package func intersection(_ other: PixelRect) -> PixelRect {
        let left = max(x, other.x)
        let top = max(y, other.y)
        let right = min(Self.end(x, width), Self.end(other.x, other.width))
        let bottom = min(Self.end(y, height), Self.end(other.y, other.height))
        return PixelRect(
            x: left,
            y: top,
            width: Self.length(left, right),
            height: Self.length(top, bottom)
        )
    }

    // Rectangles come from callers and file headers, so both functions saturate.
    private static func end(_ start: Int, _ length: Int) -> Int {
        let (sum, overflow) = start.addingReportingOverflow(length)
        return overflow ? (length > 0 ? .max : .min) : sum
    }

    private static func length(_ start: Int, _ end: Int) -> Int {
        guard end > start else { return 0 }
        let (difference, overflow) = end.subtractingReportingOverflow(start)
        return overflow ? .max : difference
    }
}
