import KFPixels

/// A bitmap as indices into a palette of at most 256 colours.
struct IndexedPixels {
    let size: PixelSize
    /// Straight colours; of a bitmap's own palette, those that are not opaque come first.
    private(set) var palette: [RGBA]
    /// One byte per pixel, row by row.
    private let storage: PixelStorage

    init(_ size: PixelSize, palette: [RGBA], _ storage: PixelStorage) {
        self.size = size
        self.palette = palette
        self.storage = storage
    }

    /// Reduces a bitmap to `maxCount` colours, 2…256; fewer are kept exactly.
    ///
    /// - Parameters:
    ///   - bitmap: The bitmap.
    ///   - maxCount: The most colours, one of them for transparent pixels if there are any. Below
    ///     four, pixels become either opaque or transparent.
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    init(reducing bitmap: Bitmap, to maxCount: Int) throws(CodecError) {
        let pixels = maxCount < 4 ? try bitmap.thresholded() : bitmap
        if let exact = try IndexedPixels(exactly: pixels, atMost: maxCount) {
            self = exact
        } else {
            self = try ColorReduction(of: pixels, to: maxCount).indexed()
        }
    }

    /// Keeps every colour exactly; nil if there are more than `maxCount`.
    ///
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    init?(exactly bitmap: Bitmap, atMost maxCount: Int) throws(CodecError) {
        guard let table = ColorTable(of: bitmap, atMost: maxCount) else { return nil }
        try self.init(bitmap, numberedBy: table)
    }

    /// Numbers the pixels by a table; those whose colour it has not get the index `missing`.
    ///
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    init(
        _ bitmap: Bitmap,
        numberedBy table: ColorTable,
        missing: Int = 0
    ) throws(CodecError) {
        let storage = try PixelStorage.forEncoding(bitmap.size.byteCount(bytesPerPixel: 1))
        let indices = storage.base.assumingMemoryBound(to: UInt8.self)
        table.assign(bitmap, to: indices, missing: UInt8(missing))
        self.init(bitmap.size, palette: table.colors.map(RGBA.init(straightening:)), storage)
    }

    /// The first index of row `y`.
    func row(_ y: Int) -> UnsafePointer<UInt8> {
        UnsafePointer(storage.base.assumingMemoryBound(to: UInt8.self) + y * size.width)
    }

    /// All indices, row by row, while the pixels are retained.
    var indices: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: row(0), count: size.byteCount(bytesPerPixel: 1))
    }

    /// The index of the colour that is wholly transparent, if there is one.
    var transparentIndex: Int? { palette.firstIndex { $0.alpha == 0 } }

    /// Adds a transparent colour, if there is none and the palette has room.
    mutating func addTransparentColor() {
        if palette.count < 256, transparentIndex == nil { palette.append(.clear) }
    }
}

extension RGBA {
    /// Reads a premultiplied pixel, red in the lowest byte.
    init(pixel: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: pixel),
            green: UInt8(truncatingIfNeeded: pixel >> 8),
            blue: UInt8(truncatingIfNeeded: pixel >> 16),
            alpha: UInt8(truncatingIfNeeded: pixel >> 24)
        )
    }

    /// The channels as a pixel, red in the lowest byte.
    var pixel: UInt32 {
        UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24
    }

    /// The straight colour of a premultiplied pixel, as encoders without a palette store it.
    init(straightening pixel: UInt32) {
        let premultiplied = RGBA(pixel: pixel)
        let source = [
            premultiplied.red, premultiplied.green, premultiplied.blue, premultiplied.alpha,
        ]
        var straight = source
        unpremultiplyRow(from: source, to: &straight, width: 1)
        self.init(red: straight[0], green: straight[1], blue: straight[2], alpha: straight[3])
    }
}

extension Bitmap {
    /// Calls `body` with the premultiplied pixels of each row, red in the lowest byte.
    @inline(__always)
    func forEachRow(_ body: (_ y: Int, _ pixel: (_ x: Int) -> UInt32) -> Bool) {
        for y in 0..<height {
            let row = UnsafeRawPointer(storage.base + y * bytesPerRow)
            let goesOn = body(y) { x in
                UInt32(littleEndian: row.loadUnaligned(fromByteOffset: x * 4, as: UInt32.self))
            }
            guard goesOn else { return }
        }
    }

    /// The bitmap with pixels that are either opaque, with straight colours, or wholly transparent.
    ///
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    func thresholded() throws(CodecError) -> Bitmap {
        guard !isOpaque else { return self }
        return try CodecError.wrapping { () throws(PixelError) in
            try Bitmap(size: size, isOpaque: false) { target, targetBytesPerRow in
                for y in 0..<height {
                    let source = storage.base + y * bytesPerRow
                    let row = target + y * targetBytesPerRow
                    unpremultiplyRow(
                        from: source.assumingMemoryBound(to: UInt8.self),
                        to: row,
                        width: width
                    )
                    for x in 0..<width {
                        let pixel = row + x * 4
                        if pixel[3] < 128 {
                            pixel.update(repeating: 0, count: 4)
                        } else {
                            pixel[3] = 255
                        }
                    }
                }
            }
        }
    }
}
