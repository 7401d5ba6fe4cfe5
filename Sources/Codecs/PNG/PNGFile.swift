import CDeflate
import FoundationEssentials
import Pixels

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
    // Signature, header, sRGB, one data chunk, end: 8 + 25 + 13 + 12 + 12, and a margin.
    private static let overhead = 128

    /// - Parameter capacity: The largest number of bytes of compressed pixels.
    init?(capacity: Int) {
        self.capacity = capacity + Self.overhead
        guard let memory = malloc(self.capacity) else { return nil }
        base = memory.assumingMemoryBound(to: UInt8.self)
    }

    mutating func writeHeader(_ size: PixelSize, _ layout: PNGLayout) {
        write(Self.signature)
        _ = writeChunk("IHDR") { target, _ in
            Self.store(UInt32(size.width), at: target)
            Self.store(UInt32(size.height), at: target + 4)
            // 8 bits, the colour type, then deflate, adaptive filters, not interlaced: all 0.
            let rest = [8, layout.colorType, 0, 0, 0]
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

    /// Transfers the bytes; the value must not be used afterwards.
    func finish() -> Data {
        // Shrinking returns the unused part. If it fails, the block stays as it was.
        let block = realloc(base, count) ?? UnsafeMutableRawPointer(base)
        return Data(bytesNoCopy: block, count: count, deallocator: .free)
    }

    func discard() { free(base) }

    private mutating func write(_ bytes: [UInt8]) {
        (base + count).update(from: bytes, count: bytes.count)
        count += bytes.count
    }

    private static func store(_ value: UInt32, at target: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(target).storeBytes(of: value.bigEndian, as: UInt32.self)
    }
}
