import CKFCodecShims
import FoundationEssentials
import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Encodes a bitmap as JPEG XL, if libjxl is installed.
struct JXLEncoder {
    let options: EncodeOptions

    func encode(_ bitmap: Bitmap) throws(CodecError) -> Data {
        try OptionalFormat(.jxl)?.check()
        let layout: PNGLayout = bitmap.isOpaque ? .rgb : .rgba
        let pixels = try packed(bitmap, layout)
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        let settings = kf_jxl_encoding(
            width: Int32(clamping: bitmap.width),
            height: Int32(clamping: bitmap.height),
            has_alpha: bitmap.isOpaque ? 0 : 1,
            is_lossless: options.isLossless ? 1 : 0,
            distance: Self.distance(quality: options.quality)
        )
        let base = pixels.base.assumingMemoryBound(to: UInt8.self)
        let status = kf_jxl_encode(settings, base, &bytes, &count)
        guard status == KF_PICTURE_OK, let bytes else {
            throw .encodingFailed(.jxl, detail: "libjxl failed for \(bitmap.size) pixels")
        }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    private func packed(
        _ bitmap: Bitmap,
        _ layout: PNGLayout
    ) throws(CodecError) -> PixelStorage {
        let rowBytes = bitmap.width * layout.step
        let packed = try PixelStorage.forEncoding(rowBytes * bitmap.height)
        let base = packed.base.assumingMemoryBound(to: UInt8.self)
        for y in 0..<bitmap.height {
            let row = bitmap.storage.base + y * bitmap.bytesPerRow
            layout.copyRow(
                row.assumingMemoryBound(to: UInt8.self),
                width: bitmap.width,
                to: base + y * rowBytes
            )
        }
        return packed
    }

    /// libjxl's distance for a JPEG-like quality: 1 for 0.9, 6.4 for 0.3, at most 15, the limit of
    /// the format's own tools.
    private static func distance(quality: Double) -> Float {
        let percent = max(0, min(100, quality * 100))
        let distance =
            percent >= 30
            ? 0.1 + (100 - percent) * 0.09
            : 53 / 3000 * percent * percent - 23 / 20 * percent + 25
        return Float(min(15, distance))
    }
}
