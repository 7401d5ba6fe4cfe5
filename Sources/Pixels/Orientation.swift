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
}
