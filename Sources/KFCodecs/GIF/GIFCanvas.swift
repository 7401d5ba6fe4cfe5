import KFPixels

/// The image that a viewer shows after the frames that were written so far.
///
/// Its pixels are opaque or wholly transparent.
struct GIFCanvas {
    /// The image; nil before the first frame.
    private var shown: Bitmap?

    /// Shows the next frame.
    ///
    /// A frame cannot make pixels transparent, but the file can clear its rectangle after its time.
    /// The rectangle of a frame therefore depends on the next frame. The first frame is stored
    /// whole, because viewers disagree about the pixels around it.
    ///
    /// - Parameters:
    ///   - frame: The frame; all have the same size.
    ///   - next: The frame that follows; nil for the last one.
    /// - Returns: The part of the frame to store.
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    mutating func show(_ frame: Bitmap, before next: Bitmap?) throws(CodecError) -> Change {
        var rect =
            shown.map { frame.bounds(comparedWith: $0) { $0 != $1 } } ?? PixelRect(size: frame.size)
        let vanishing = next.flatMap { next in
            next.isOpaque ? nil : frame.bounds(comparedWith: next) { $0 != 0 && $1 == 0 }
        }
        let isCleared = vanishing?.isEmpty == false
        if let vanishing, isCleared { rect = rect.isEmpty ? vanishing : rect.union(vanishing) }
        // A frame has at least one pixel.
        if rect.isEmpty { rect = PixelRect(x: 0, y: 0, width: 1, height: 1) }
        let change = Change(frame: frame, before: shown, rect: rect, isCleared: isCleared)
        shown = isCleared ? try frame.clearing(rect) : frame
        return change
    }

    /// The part of a frame that has to be stored.
    struct Change {
        fileprivate let frame: Bitmap
        fileprivate let before: Bitmap?
        /// Inside the canvas, at least one pixel.
        let rect: PixelRect
        /// Whether the rectangle becomes transparent after the frame's time.
        let isCleared: Bool

        /// Whether nothing was shown before.
        var isFirst: Bool { before == nil }

        /// The pixels of the rectangle.
        ///
        /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
        func pixels() throws(CodecError) -> Bitmap {
            try CodecError.wrapping { () throws(PixelError) in try crop(frame, to: rect) }
        }

        /// The pixels of the rectangle; those that do not change are transparent.
        ///
        /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
        func changedPixels() throws(CodecError) -> Bitmap {
            guard let before else { return try pixels() }
            return try CodecError.wrapping { () throws(PixelError) in
                try Bitmap(size: rect.size, isOpaque: false) { target, bytesPerRow in
                    for y in 0..<rect.height {
                        let row = UnsafeMutableRawPointer(target + y * bytesPerRow)
                        let (own, other) = (frame.row(rect.y + y), before.row(rect.y + y))
                        for x in 0..<rect.width {
                            let color = own.pixel(at: rect.x + x)
                            row.storeBytes(
                                of: color == other.pixel(at: rect.x + x) ? 0 : color,
                                toByteOffset: x * 4,
                                as: UInt32.self
                            )
                        }
                    }
                }
            }
        }
    }
}

extension PixelRect {
    /// The smallest rectangle around two that are not empty and lie in one bitmap.
    fileprivate func union(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRect(
            x: left,
            y: top,
            width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top
        )
    }
}

extension UnsafeRawPointer {
    /// A pixel of the row at this address.
    @inline(__always)
    fileprivate func pixel(at x: Int) -> UInt32 {
        loadUnaligned(fromByteOffset: x * 4, as: UInt32.self)
    }
}

extension Bitmap {
    fileprivate func row(_ y: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(storage.base + y * bytesPerRow)
    }

    /// The smallest rectangle around the pixels for which a comparison holds.
    ///
    /// It must not hold for equal pixels.
    @inline(__always)
    fileprivate func bounds(
        comparedWith other: Bitmap,
        _ holds: (_ own: UInt32, _ other: UInt32) -> Bool
    ) -> PixelRect {
        let (width, height) = (width, height)
        var (left, right, top, bottom) = (width, 0, height, 0)
        for y in 0..<height where !hasEqualRow(y, in: other) {
            let (own, others) = (row(y), other.row(y))
            func isInside(_ x: Int) -> Bool { holds(own.pixel(at: x), others.pixel(at: x)) }
            var first = 0
            while first < width, !isInside(first) { first += 1 }
            guard first < width else { continue }
            var end = width
            while end > right, !isInside(end - 1) { end -= 1 }
            (left, right) = (min(left, first), max(right, end))
            (top, bottom) = (min(top, y), y + 1)
        }
        guard top < bottom else { return PixelRect(x: 0, y: 0, width: 0, height: 0) }
        return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// A copy with a part that is transparent.
    fileprivate func clearing(_ rect: PixelRect) throws(CodecError) -> Bitmap {
        try CodecError.wrapping { () throws(PixelError) in
            try Bitmap(size: size, isOpaque: false) { target, bytesPerRow in
                FrameSurface(base: target, bytesPerRow: bytesPerRow, size: size).copy(self)
                let first = target + rect.y * bytesPerRow + rect.x * Self.bytesPerPixel
                FrameSurface(base: first, bytesPerRow: bytesPerRow, size: rect.size).clear()
            }
        }
    }
}
