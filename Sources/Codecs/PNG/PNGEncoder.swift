import CDeflate
import FoundationEssentials
import Pixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Encodes a picture as PNG: grey, RGB or RGBA of 8 bits, whichever is the least that holds it.
///
/// Filters and deflates the whole picture at once, which libdeflate does several times faster than
/// zlib does by rows; memory is twice the raw picture for as long as it takes.
struct PNGEncoder {
    let bitmap: Bitmap
    let options: EncodeOptions

    // libdeflate's scale. 4: the last level before the time doubles for a gain of one per cent.
    static let defaultLevel = 4

    func encode() throws(CodecError) -> Data {
        let layout = PNGLayout(choosing: bitmap)
        let rows = try PNGRowWriter(bitmap, layout)
        let byteCount = rows.rowBytes * bitmap.height
        let filtered = try PixelStorage.forEncoding(byteCount)
        let target = filtered.base.assumingMemoryBound(to: UInt8.self)
        if try rows.areBetterPlain() {
            rows.writePlain(0..<bitmap.height, to: target)
        } else {
            rows.writeFiltered(0..<bitmap.height, to: target)
        }

        let level = Int32(max(0, min(12, options.compressionLevel ?? Self.defaultLevel)))
        guard let compressor = libdeflate_alloc_compressor(level) else {
            throw .encodingFailed(.png, detail: "no memory for level \(level)")
        }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, byteCount)
        guard var file = PNGFile(capacity: bound) else {
            throw .pixels(.outOfMemory(bytes: bound))
        }
        file.writeHeader(bitmap.size, layout)
        let isWritten = file.writeChunk("IDAT") { target, room in
            libdeflate_zlib_compress(
                compressor,
                filtered.base,
                byteCount,
                target,
                min(room, bound)
            )
        }
        guard isWritten else {
            file.discard()
            throw .encodingFailed(.png, detail: "\(bitmap.size) is too much for one chunk")
        }
        _ = file.writeChunk("IEND") { _, _ in 0 }
        return file.finish()
    }
}

extension PixelStorage {
    /// Memory for an encoder; a failure is the encoder's.
    static func forEncoding(_ byteCount: Int) throws(CodecError) -> PixelStorage {
        try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: byteCount)
        }
    }
}
