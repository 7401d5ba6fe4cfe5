import CKFCodecShims
import KFPixels

/// Reads the rows of a frame with more than 8 bits per channel, as 16 bits.
///
/// libavif rounds them to 8 bits before their curve is applied otherwise, and enlarges the colours of
/// 12 bits without smoothing.
struct AVIFDeepRows {
    let avif: kf_avif
    let image: UnsafeMutablePointer<avifImage>

    /// The rows converted at once, an even number, because colours may have half the rows.
    private static let bandHeight = 64
    /// Rows above and below a band, whose colours its own are smoothed with; even as well.
    private static let margin = 2

    var alpha: StoredAlpha {
        guard image.pointee.alphaPlane != nil else { return .none }
        return image.pointee.alphaPremultiplied != AVIF_FALSE ? .premultiplied : .straight
    }

    /// Calls `take` with the number and the RGBA of every row, which it may change.
    ///
    /// - Throws: The error of `check` for a result of libavif, or ``CodecError/pixels(_:)``.
    func read(
        check: (avifResult) throws(CodecError) -> Void,
        take: (_ y: Int, _ row: UnsafeMutablePointer<UInt16>) -> Void
    ) throws(CodecError) {
        let (width, height) = (Int(image.pointee.width), Int(image.pointee.height))
        let rowBytes = width * 8
        let band = try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(
                byteCount: rowBytes * min(Self.bandHeight + 2 * Self.margin, height)
            )
        }
        guard let view = avif.avifImageCreateEmpty() else {
            throw .pixels(.outOfMemory(bytes: rowBytes))
        }
        defer { avif.avifImageDestroy(view) }
        for start in stride(from: 0, to: height, by: Self.bandHeight) {
            let end = min(height, start + Self.bandHeight)
            let top = max(0, start - Self.margin)
            let bottom = min(height, end + Self.margin)
            var rect = avifCropRect(
                x: 0,
                y: UInt32(top),
                width: image.pointee.width,
                height: UInt32(bottom - top)
            )
            try check(avif.avifImageSetViewRect(view, image, &rect))
            var rgb = avifRGBImage()
            avif.avifRGBImageSetDefaults(&rgb, view)
            rgb.depth = 16
            rgb.format = AVIF_RGB_FORMAT_RGBA
            rgb.alphaPremultiplied = image.pointee.alphaPremultiplied
            let pixels = band.base.assumingMemoryBound(to: UInt8.self)
            kf_avif_set_pixels(&rgb, pixels, UInt32(rowBytes))
            try check(avif.avifImageYUVToRGB(view, &rgb))
            for y in start..<end {
                let row = band.base + (y - top) * rowBytes
                take(y, row.assumingMemoryBound(to: UInt16.self))
            }
        }
    }
}
