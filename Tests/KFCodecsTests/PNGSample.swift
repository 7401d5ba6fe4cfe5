import CKFDeflate
import Foundation

/// A PNG of noise, written piece by piece so that each part can be damaged.
struct PNGSample {
    var width: Int
    var height: Int
    var colorType = 2
    var depth = 8
    /// The filters of the rows in turn; nil is at random.
    var filter: UInt8?
    /// libdeflate's level.
    var level: Int32 = 6
    /// The bytes of compressed pixels per chunk.
    var chunkSize = Int.max
    /// Bytes added to the pixels, or missing if negative.
    var excess = 0
    var seed: UInt64 = 1

    static let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]
    static let depths = [
        0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]

    var file: Data { file(pixels: stream) }

    /// The filtered rows as a zlib stream.
    var stream: [UInt8] { Self.compress(rows, level: level) }

    /// The file with these bytes as its compressed pixels.
    func file(pixels: [UInt8]) -> Data {
        var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let format = [UInt8(depth), UInt8(colorType), 0, 0, 0]
        file += Self.chunk("IHDR", Bytes.big(width, 4) + Bytes.big(height, 4) + format)
        if colorType == 3 {
            let count = 1 << depth
            file += Self.chunk("PLTE", (0..<count * 3).map { UInt8(truncatingIfNeeded: $0 * 7) })
            file += Self.chunk("tRNS", (0..<count / 2).map { UInt8(truncatingIfNeeded: $0 * 3) })
        }
        var place = 0
        repeat {
            let end = pixels.count - place > chunkSize ? place + chunkSize : pixels.count
            file += Self.chunk("IDAT", Array(pixels[place..<end]))
            place = end
        } while place < pixels.count
        return file + Self.chunk("IEND", [])
    }

    static func chunk(_ type: String, _ body: [UInt8]) -> Data {
        let content = Array(type.utf8) + body
        let checksum = Int(libdeflate_crc32(0, content, content.count))
        return Data(Bytes.big(body.count, 4) + content + Bytes.big(checksum, 4))
    }

    static func compress(_ bytes: [UInt8], level: Int32) -> [UInt8] {
        guard let compressor = libdeflate_alloc_compressor(level) else { return [] }
        defer { libdeflate_free_compressor(compressor) }
        let room = libdeflate_zlib_compress_bound(compressor, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            let target = buffer.baseAddress
            count = libdeflate_zlib_compress(compressor, bytes, bytes.count, target, room)
        }
    }

    private var rows: [UInt8] {
        var random = SplitMix64(seed: seed)
        let rowBytes = (width * Self.channels[colorType, default: 0] * depth + 7) / 8
        var bytes: [UInt8] = []
        bytes.reserveCapacity(height * (rowBytes + 1))
        for _ in 0..<height {
            bytes.append(filter ?? UInt8(random.next() % 5))
            // Small differences, so that there are matches of every length.
            for _ in 0..<rowBytes { bytes.append(UInt8(truncatingIfNeeded: random.next() >> 61)) }
        }
        guard excess > 0 else { return bytes.dropLast(-excess) }
        return bytes + [UInt8](repeating: 0, count: excess)
    }
}
