import CKFDeflate
import FoundationEssentials
import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A PNG file under construction, in one block that becomes `Data` without a copy.
struct PNGFile {
    private let base: UnsafeMutablePointer<UInt8>
    private let capacity: Int
    private var count = 0

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    // Signature, header, sRGB, one data chunk, end: 8 + 25 + 13 + 12 + 12; a palette and its alphas:
    // 12 + 768 + 12 + 256; and a margin.
    private static let overhead = 1280

    /// - Parameter capacity: The largest number of bytes of compressed pixels.
    private init?(capacity: Int) {
        self.capacity = capacity + Self.overhead
        guard let memory = malloc(self.capacity) else { return nil }
        base = memory.assumingMemoryBound(to: UInt8.self)
    }

    /// Reserves memory for `byteCount` bytes of rows after compression.
    ///
    /// - Throws: ``CodecError/pixels(_:)`` if it cannot be allocated.
    init(compressing byteCount: Int, _ compression: PNGCompression) throws(CodecError) {
        let bound = compression.bound(byteCount)
        guard let file = PNGFile(capacity: bound) else {
            throw .pixels(.outOfMemory(bytes: bound))
        }
        self = file
    }

    mutating func writeHeader(_ size: PixelSize, colorType: UInt8, bitsPerChannel: Int = 8) {
        write(Self.signature)
        _ = writeChunk("IHDR") { target, _ in
            Self.store(UInt32(size.width), at: target)
            Self.store(UInt32(size.height), at: target + 4)
            // Then deflate, adaptive filters, not interlaced: all 0.
            let rest = [UInt8(bitsPerChannel), colorType, 0, 0, 0]
            (target + 8).update(from: rest, count: rest.count)
            return 13
        }
        // Perceptual intent, as viewers assume.
        _ = writeChunk("sRGB") { target, _ in
            target[0] = 0
            return 1
        }
    }

    /// Appends a chunk whose body is written by `fill`, which returns the body's length, or 0 on
    /// failure.
    ///
    /// - Returns: False if the body is empty or too long.
    mutating func writeChunk(
        _ type: StaticString,
        fill: (_ target: UnsafeMutablePointer<UInt8>, _ room: Int) -> Int
    ) -> Bool {
        let start = base + count
        let length = fill(start + 8, capacity - count - PNGHeader.chunkOverhead)
        guard let bits = UInt32(exactly: length), bits <= 0x7FFF_FFFF else { return false }
        Self.store(bits, at: start)
        (start + 4).update(from: type.utf8Start, count: 4)
        Self.store(libdeflate_crc32(0, start + 4, length + 4), at: start + 8 + length)
        count += length + PNGHeader.chunkOverhead
        return length > 0
    }

    /// Compresses the rows, writes them and the end, and transfers the bytes; the value must not be
    /// used afterwards.
    ///
    /// - Throws: ``CodecError/encodingFailed(_:detail:)`` if the rows do not fit into one chunk.
    mutating func finish(
        _ rows: UnsafePointer<UInt8>,
        _ byteCount: Int,
        _ compression: PNGCompression,
        of size: PixelSize
    ) throws(CodecError) -> Data {
        let bound = compression.bound(byteCount)
        let isWritten = writeChunk("IDAT") { target, room in
            compression.compress(rows, byteCount, to: target, room: min(room, bound))
        }
        guard isWritten else {
            free(base)
            throw .encodingFailed(.png, detail: "\(size) is too large for one chunk")
        }
        _ = writeChunk("IEND") { _, _ in 0 }
        // Shrinking returns the unused part. If it fails, the block stays as it was.
        let block = realloc(base, count) ?? UnsafeMutableRawPointer(base)
        return Data(bytesNoCopy: block, count: count, deallocator: .free)
    }

    private mutating func write(_ bytes: [UInt8]) {
        (base + count).update(from: bytes, count: bytes.count)
        count += bytes.count
    }

    private static func store(_ value: UInt32, at target: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(target).storeBytes(of: value.bigEndian, as: UInt32.self)
    }
}
