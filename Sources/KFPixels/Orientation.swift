/// How stored rows and columns map to the displayed image.
///
/// The values are those of Exif.
///
/// Source: CIPA DC-008 (Exif 2.32), tag 0x0112.
package enum Orientation: UInt8, Sendable, CaseIterable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    /// Row 0 is the visual left side, column 0 the top.
    case leftMirrored = 5
    /// Row 0 is the visual right side, column 0 the top.
    case right = 6
    /// Row 0 is the visual right side, column 0 the bottom.
    case rightMirrored = 7
    /// Row 0 is the visual left side, column 0 the bottom.
    case left = 8

    /// Whether width and height are exchanged.
    package var swapsSides: Bool { rawValue >= 5 }

    /// The displayed size of an image that is stored in `size`.
    package func displaySize(of size: PixelSize) -> PixelSize {
        swapsSides ? size.transposed : size
    }

    /// The stored place of a part of the displayed image.
    ///
    /// - Parameters:
    ///   - part: Within the displayed image.
    ///   - shown: The size of the displayed image.
    /// - Returns: Its place before orientation.
    package func storedPart(_ part: PixelRect, in shown: PixelSize) -> PixelRect {
        let fromRight = shown.width - part.x - part.width
        let fromBottom = shown.height - part.y - part.height
        let (x, y) =
            switch self {
            case .up: (part.x, part.y)
            case .upMirrored: (fromRight, part.y)
            case .down: (fromRight, fromBottom)
            case .downMirrored: (part.x, fromBottom)
            case .leftMirrored: (part.y, part.x)
            case .right: (part.y, fromRight)
            case .rightMirrored: (fromBottom, fromRight)
            case .left: (fromBottom, part.x)
            }
        return PixelRect(origin: (x, y), size: displaySize(of: part.size))
    }
}
