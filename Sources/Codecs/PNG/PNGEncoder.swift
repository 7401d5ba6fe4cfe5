import FoundationEssentials
import Pixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Encodes a bitmap as PNG of 8 bits per channel: grey, RGB or RGBA, the smallest that holds it.
///
/// Filters and compresses the whole bitmap at once. Meanwhile it holds about twice the raw bytes.
struct PNGEncoder {
    let bitmap: Bitmap

    func encode() throws(CodecError) -> Data {
        let layout = PNGLayout(choosing: bitmap)
        let rows = try PNGRowWriter(bitmap, layout)
        let byteCount = rows.rowBytes * bitmap.height
        let filtered = try PixelStorage.forEncoding(byteCount)
        let target = filtered.base.assumingMemoryBound(to: UInt8.self)
        let compression = try fill(target, from: rows)
        let bound = compression.bound(byteCount)
        guard var file = PNGFile(capacity: bound) else {
            throw .pixels(.outOfMemory(bytes: bound))
        }
        file.writeHeader(bitmap.size, layout)
        let isWritten = file.writeChunk("IDAT") { target, room in
            compression.compress(
                filtered.base.assumingMemoryBound(to: UInt8.self),
                byteCount,
                to: target,
                room: min(room, bound)
            )
        }
        guard isWritten else {
            file.discard()
            throw .encodingFailed(.png, detail: "\(bitmap.size) is too large for one chunk")
        }
        _ = file.writeChunk("IEND") { _, _ in 0 }
        return file.finish()
    }

    /// Writes the rows, filtered or not; returns the best compression method for them.
    private func fill(
        _ target: UnsafeMutablePointer<UInt8>,
        from rows: PNGRowWriter
    ) throws(CodecError) -> PNGCompression {
        if try rows.areBetterPlain() {
            rows.writePlain(0..<bitmap.height, to: target)
            return .plain
        }
        rows.writeFiltered(0..<bitmap.height, to: target)
        return try PNGCompression(
            sampling: target,
            rowBytes: rows.rowBytes,
            groups: rows.sample(groups: 4)
        )
    }
}

extension PixelStorage {
    /// Allocates memory for an encoder, with ``CodecError/pixels(_:)`` on failure.
    static func forEncoding(_ byteCount: Int) throws(CodecError) -> PixelStorage {
        try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: byteCount)
        }
    }
}
