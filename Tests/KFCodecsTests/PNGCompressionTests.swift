import CKFDeflate
import KFPixels
import Testing

@testable import KFCodecs

/// The two methods of compressing the rows of a PNG.
struct PNGCompressionTests {
    private static let ways = [PNGCompression.runs, .filtered, .plain]

    /// Noise of a few values that contains runs.
    private static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        var bytes: [UInt8] = []
        while bytes.count < count {
            let number = random.next()
            let isRun = number % 7 == 0
            let length = isRun ? Int(number >> 8 % 600) : 1
            bytes += [UInt8](repeating: UInt8(number >> 32 & 0x1F), count: length)
        }
        return Array(bytes.prefix(count))
    }

    private static func inflated(_ stream: some Sequence<UInt8>, count: Int) -> [UInt8]? {
        guard let decompressor = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(decompressor) }
        let stream = Array(stream)
        var bytes = [UInt8](repeating: 0, count: count)
        let result = libdeflate_zlib_decompress(
            decompressor,
            stream,
            stream.count,
            &bytes,
            count,
            nil
        )
        return result == LIBDEFLATE_SUCCESS ? bytes : nil
    }

    @Test(arguments: ways, [1, 2, 300, 70_000])
    func `compressed bytes inflate to the same`(way: PNGCompression, count: Int) {
        let bytes = Self.bytes(count, seed: UInt64(count))
        var target = [UInt8](repeating: 0, count: way.bound(count))
        let length = way.compress(bytes, count, to: &target, room: target.count)
        #expect(length > 0)
        #expect(Self.inflated(target.prefix(length), count: count) == bytes)
    }

    @Test(arguments: ways)
    func `noise fits the bound`(way: PNGCompression) {
        var random = SplitMix64(seed: 9)
        let bytes = (0..<100_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var target = [UInt8](repeating: 0, count: way.bound(bytes.count))
        #expect(way.compress(bytes, bytes.count, to: &target, room: target.count) > 0)
    }

    @Test(arguments: ways)
    func `without enough room nothing is returned, and nothing is written past the end`(
        way: PNGCompression
    ) {
        let bytes = Self.bytes(5000, seed: 3)
        var target = [UInt8](repeating: 0xAA, count: way.bound(5000))
        let length = way.compress(bytes, 5000, to: &target, room: target.count)
        for room in [0, 1, 20, length - 1] {
            target = [UInt8](repeating: 0xAA, count: target.count)
            #expect(way.compress(bytes, 5000, to: &target, room: room) == 0)
            #expect(target[room...].allSatisfy { $0 == 0xAA })
        }
    }
}
