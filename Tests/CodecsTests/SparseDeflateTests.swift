import CDeflate
import Foundation
import Testing

@testable import Codecs

/// The compression of photographs, which any inflater has to understand.
struct SparseDeflateTests {
    /// What the compression meets: by name, so that a failure tells which.
    private static func bytes(_ kind: String) -> [UInt8] {
        var random = SplitMix64(seed: 7)
        switch kind {
        case "one byte": return [42]
        case "fifteen bytes": return Array(0..<15)
        case "zeros": return [UInt8](repeating: 0, count: 300_000)
        case "noise": return (0..<200_000).map { _ in UInt8(random.next() & 255) }
        case "small differences":
            return (0..<300_000).map { _ in
                UInt8(truncatingIfNeeded: random.next() % 5 &+ random.next() % 5 &- 4)
            }
        case "changing":
            // Each part has bytes of its own, so that codes are made anew.
            return (0..<40).flatMap { part in
                (0..<9000).map { _ in
                    UInt8(truncatingIfNeeded: UInt64(part) * 13 + random.next() % 7)
                }
            }
        case "rare bytes":
            // Counts like Fibonacci's numbers ask for codes longer than deflate has.
            var (count, next) = (1, 1)
            var bytes: [UInt8] = []
            for byte in 0..<23 {
                bytes += [UInt8](repeating: UInt8(byte * 11), count: count)
                (count, next) = (next, count + next)
            }
            return bytes.indices.map { bytes[$0 * 7919 % bytes.count] }
        default:
            // The same noise again at a distance: the farthest that is told, one more, and those
            // at which the numbers of places that are kept wrap around.
            let distance = Int(kind) ?? 0
            let part = (0..<distance).map { _ in UInt8(random.next() & 255) }
            return part + part + part
        }
    }

    @Test(
        arguments: [
            "one byte", "fifteen bytes", "zeros", "noise", "small differences", "changing",
            "rare bytes", "4", "300", "32767", "32768", "32769", "65535", "65536", "65537",
        ]
    )
    func `what is compressed is inflated again`(kind: String) throws {
        let bytes = Self.bytes(kind)
        let file = Self.compressed(bytes, room: SparseDeflate.bound(bytes.count))
        #expect(!file.isEmpty)
        #expect(Self.inflated(file, count: bytes.count) == bytes)
    }

    private static let rounds =
        ProcessInfo.processInfo.environment["KF_EXHAUSTIVE"] == "1" ? 20_000 : 200

    @Test func `random mixtures of noise, runs and repetitions are inflated again`() {
        var random = SplitMix64(seed: 11)
        for round in 0..<Self.rounds {
            let length = Int(random.next() % (round.isMultiple(of: 10) ? 200_000 : 3000)) + 1
            let bytes = Self.mixture(length, &random)
            let file = Self.compressed(bytes, room: SparseDeflate.bound(bytes.count))
            #expect(!file.isEmpty, "round \(round)")
            #expect(Self.inflated(file, count: bytes.count) == bytes, "round \(round)")
        }
    }

    /// Pieces of any length: bytes of few or many values, one byte again and again, or what was
    /// there before.
    private static func mixture(_ length: Int, _ random: inout SplitMix64) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < length {
            let count = Int(random.next() % (1 << (random.next() % 14))) + 1
            switch random.next() % 4 {
            case 0:
                bytes += [UInt8](repeating: UInt8(random.next() & 255), count: count)
            case 1 where !bytes.isEmpty:
                let start = Int(random.next() % UInt64(bytes.count))
                bytes += bytes[start..<min(bytes.count, start + count)]
            default:
                let values = random.next() % 256 + 1
                bytes += (0..<count).map { _ in UInt8(random.next() % values) }
            }
        }
        return Array(bytes[..<length])
    }

    @Test func `what repeats at the farthest distance is found`() {
        for (distance, isFound) in [("32768", true), ("32769", false)] {
            let bytes = Self.bytes(distance)
            let file = Self.compressed(bytes, room: SparseDeflate.bound(bytes.count))
            #expect((file.count < bytes.count / 2) == isFound, "\(distance)")
        }
    }

    @Test func `without enough room nothing is written, and nothing behind it`() {
        let bytes = Self.bytes("changing")
        let needed = Self.compressed(bytes, room: SparseDeflate.bound(bytes.count)).count
        for room in [0, 1, 6, 7, 40, needed / 2, needed - 1] {
            var target = [UInt8](repeating: 0xA5, count: room + 64)
            #expect(SparseDeflate.compress(bytes, bytes.count, to: &target, room: room) == 0)
            #expect(target[room...].allSatisfy { $0 == 0xA5 }, "\(room)")
        }
    }

    @Test func `codes are complete, the shortest, and within the limit`() {
        #expect(HuffmanCode([1, 1, 2, 0, 4], limit: 15).lengths == [3, 3, 2, 0, 1])
        #expect(HuffmanCode([0, 9, 0], limit: 15).lengths == [0, 1, 0])
        #expect(HuffmanCode([0, 0], limit: 15).lengths == [0, 0])
        // First bit lowest, above the length.
        #expect(HuffmanCode([1, 1, 2, 0, 4], limit: 15).entries == [0x303, 0x703, 0x102, 0, 1])
        var fibonacci: [UInt32] = [1, 1]
        while fibonacci.count < 30 { fibonacci.append(fibonacci.suffix(2).reduce(0, +)) }
        for limit in [5, 7, 15] {
            let lengths = HuffmanCode(fibonacci, limit: limit).lengths
            #expect(lengths.allSatisfy { 1...limit ~= Int($0) })
            #expect(lengths.reduce(0) { $0 + 1 << (limit - Int($1)) } == 1 << limit)
        }
    }

    private static func compressed(_ bytes: [UInt8], room: Int) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: room)
        let count = SparseDeflate.compress(bytes, bytes.count, to: &target, room: room)
        return Array(target[..<count])
    }

    private static func inflated(_ file: [UInt8], count: Int) -> [UInt8]? {
        guard let inflater = libdeflate_alloc_decompressor() else { return nil }
        defer { libdeflate_free_decompressor(inflater) }
        var bytes = [UInt8](repeating: 0, count: count)
        var written = 0
        let result = libdeflate_zlib_decompress(
            inflater,
            file,
            file.count,
            &bytes,
            count,
            &written
        )
        return result == LIBDEFLATE_SUCCESS && written == count ? bytes : nil
    }
}
