import CKFCodecShims
import FoundationEssentials
import KFPixels

/// Encodes a bitmap as JPEG; transparent pixels are composited on white.
///
/// A grey bitmap has one channel: the same pixels in fewer bytes and two thirds of the time.
struct JPEGEncoder {
    let bitmap: Bitmap
    let options: EncodeOptions

    /// The longest side that libjpeg can write (`JPEG_MAX_DIMENSION`).
    private static let maxSide = 65_500
    // Up to this quality chroma is subsampled, as by most programs: the loss is hardly visible, and
    // without it files are half as large again.
    private static let lastReducedQuality: Int32 = 90

    func encode() throws(CodecError) -> Data {
        guard bitmap.size.longestSide <= Self.maxSide else {
            throw .encodingFailed(.jpeg, detail: "\(bitmap.size) is beyond \(Self.maxSide) pixels")
        }
        let quality = Int32(max(1, min(100, (options.quality * 100).rounded())))
        let isReduced = options.subsamplesChroma ?? (quality <= Self.lastReducedQuality)
        let settings = kf_jpeg_encoding(
            width: Int32(bitmap.width),
            height: Int32(bitmap.height),
            quality: quality,
            is_progressive: options.isProgressive ? 1 : 0,
            full_chroma: isReduced ? 0 : 1,
            // A profile has the channels of its file.
            is_grey: options.profile == nil && bitmap.isGrey ? 1 : 0
        )
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        // 200: the size that `kf_jpeg_encode` requires.
        var message = [CChar](repeating: 0, count: 200)
        let status = withExtendedLifetime(bitmap.storage) {
            var rows = JPEGRows(bitmap, options)
            return withUnsafeMutablePointer(to: &rows) { rows in
                kf_jpeg_encode(settings, JPEGRows.write, rows, &bytes, &count, &message)
            }
        }
        if status == KF_JPEG_CANCELLED { throw .cancelled }
        guard status == KF_JPEG_OK, let bytes else {
            let detail = String(
                decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
                as: UTF8.self
            )
            throw .encodingFailed(.jpeg, detail: detail)
        }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }
}

extension Bitmap {
    /// Whether the channels of each pixel are equal; ends at the first pixel where they are not.
    fileprivate var isGrey: Bool {
        withExtendedLifetime(storage) {
            for y in 0..<height {
                let row = (UnsafeRawPointer(storage.base) + y * bytesPerRow)
                    .assumingMemoryBound(to: UInt8.self)
                for x in 0..<width {
                    let pixel = row + x * Bitmap.bytesPerPixel
                    guard pixel[0] == pixel[1], pixel[1] == pixel[2] else { return false }
                }
            }
            return true
        }
    }
}

/// The rows that the encoder requests, composited on white.
private struct JPEGRows {
    let pixels: UnsafeRawPointer
    let bytesPerRow: Int
    let width: Int
    let isOpaque: Bool
    let options: EncodeOptions

    init(_ bitmap: Bitmap, _ options: EncodeOptions) {
        self.options = options
        pixels = UnsafeRawPointer(bitmap.storage.base)
        bytesPerRow = bitmap.bytesPerRow
        width = bitmap.width
        isOpaque = bitmap.isOpaque
    }

    static let write: kf_jpeg_row_source = { context, row, target in
        let rows = context.assumingMemoryBound(to: JPEGRows.self)
        if row >= 0 { rows.pointee.copy(row: Int(row), to: target) }
        return rows.pointee.options.isCancelled?() == true ? 0 : 1
    }

    private func copy(row: Int, to target: UnsafeMutablePointer<UInt8>) {
        let source = (pixels + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
        target.update(from: source, count: width * Bitmap.bytesPerPixel)
        guard !isOpaque else { return }
        for x in 0..<width {
            let pixel = target + x * 4
            // Premultiplied colour over white adds 255 − alpha to each channel.
            let white = Int(255 - pixel[3])
            for channel in 0..<3 { pixel[channel] = UInt8(min(255, Int(pixel[channel]) + white)) }
        }
    }
}
