/// Rotates or mirrors `source` so that an image stored with `orientation` is upright.
///
/// Orientations that exchange the sides are copied in blocks of 32 × 32 pixels, which keeps the
/// rows of both bitmaps in the first-level cache.
///
/// - Parameters:
///   - source: In stored order, any size.
///   - orientation: The orientation stated in the file.
/// - Returns: A new bitmap, or `source` itself for ``Orientation/up``.
/// - Throws: ``PixelError/outOfMemory(bytes:)``.
package func reorient(
    _ source: Bitmap,
    _ orientation: Orientation
) throws(PixelError) -> Bitmap {
    guard orientation != .up else { return source }
    let size = orientation.displaySize(of: source.size)
    return try Bitmap(size: size, isOpaque: source.isOpaque) { out, bytesPerRow in
        source.withPixels { pixels, stride in
            // The position of the target's first pixel in the source, and the source steps per
            // target step.
            let walk = OrientationWalk(orientation, width: source.width, height: source.height)
            let corner = UnsafeRawPointer(pixels) + walk.row * stride + walk.column * 4
            RowBands.run(rows: size.height, work: size.width * size.height) { rows in
                copyBlocks(
                    from: corner,
                    alongRow: walk.rowsPerX * stride + walk.columnsPerX * 4,
                    downRows: walk.rowsPerY * stride + walk.columnsPerY * 4,
                    to: UnsafeMutableRawPointer(out),
                    bytesPerRow: bytesPerRow,
                    width: size.width,
                    rows: rows
                )
            }
        }
    }
}

/// The steps through the source while the target is written from left to right, top to bottom.
private struct OrientationWalk {
    var column = 0
    var row = 0
    var columnsPerX = 0
    var rowsPerX = 0
    var columnsPerY = 0
    var rowsPerY = 0

    init(_ orientation: Orientation, width: Int, height: Int) {
        // Whether the walk starts at the source's right or bottom edge and goes backwards.
        let backX: Bool =
            switch orientation {
            case .upMirrored, .down, .rightMirrored, .left: true
            default: false
            }
        let backY: Bool =
            switch orientation {
            case .down, .downMirrored, .right, .rightMirrored: true
            default: false
            }
        column = backX ? width - 1 : 0
        row = backY ? height - 1 : 0
        if orientation.swapsSides {
            rowsPerX = backY ? -1 : 1
            columnsPerY = backX ? -1 : 1
        } else {
            columnsPerX = backX ? -1 : 1
            rowsPerY = backY ? -1 : 1
        }
    }
}

private func copyBlocks(
    from corner: UnsafeRawPointer,
    alongRow: Int,
    downRows: Int,
    to out: UnsafeMutableRawPointer,
    bytesPerRow: Int,
    width: Int,
    rows: Range<Int>
) {
    let side = 32
    for top in stride(from: rows.lowerBound, to: rows.upperBound, by: side) {
        for left in stride(from: 0, to: width, by: side) {
            let right = min(left + side, width)
            for y in top..<min(top + side, rows.upperBound) {
                var from = corner + y * downRows + left * alongRow
                var to = out + y * bytesPerRow + left * 4
                for _ in left..<right {
                    to.storeBytes(of: from.load(as: UInt32.self), as: UInt32.self)
                    from += alongRow
                    to += 4
                }
            }
        }
    }
}
