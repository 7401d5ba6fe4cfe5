import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// GIF frames whose codes begin with more bits than giflib accepts.
struct GIFCodesTests {
    /// Codes of a frame as an encoder without a dictionary writes them: a clear code before the
    /// width would grow.
    private static func codes(_ pixels: [UInt8], minimum: Int) -> [UInt8] {
        var (bits, count, bytes) = (0, 0, [UInt8]())
        func put(_ code: Int) {
            bits |= code << count
            count += minimum + 1
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        for (index, pixel) in pixels.enumerated() {
            if index % 100 == 0 { put(1 << minimum) }
            put(Int(pixel))
        }
        put((1 << minimum) + 1)
        if count > 0 { bytes.append(UInt8(bits & 255)) }
        var blocks: [UInt8] = [UInt8(minimum)]
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let part = bytes[start..<min(bytes.count, start + 255)]
            blocks += [UInt8(part.count)] + part
        }
        return blocks + [0]
    }

    private static func file(_ pixels: [UInt8], _ side: Int, minimum: Int) -> Data {
        var file = Data("GIF89a".utf8) + Data(Bytes.little(side, 2) + Bytes.little(side, 2))
        file += Data([0xF7, 0, 0])
        for index in 0..<256 { file += Data([UInt8(index), UInt8(255 - index), 7]) }
        file +=
            Data([0x2C, 0, 0, 0, 0]) + Data(Bytes.little(side, 2) + Bytes.little(side, 2)) + [0]
        return file + Data(codes(pixels, minimum: minimum)) + [0x3B]
    }

    @Test(arguments: [8, 9, 10, 11])
    func `codes that begin with up to 11 bits are read`(minimum: Int) throws {
        let pixels = (0..<900).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let bitmap = try Codecs.decode(Self.file(pixels, 30, minimum: minimum)).bitmap
        for (index, pixel) in pixels.enumerated() {
            let wanted = RGBA(red: pixel, green: 255 - pixel, blue: 7)
            #expect(bitmap[index % 30, index / 30] == wanted)
        }
    }

    @Test func `repeated codes and growing ones are read`() throws {
        // 600 equal pixels as one growing run: each code is the one defined by itself.
        let minimum = 9
        var (bits, count, bytes, width, next) = (0, 0, [UInt8](), 10, 514)
        func put(_ code: Int) {
            bits |= code << count
            count += width
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        put(512)
        put(77)
        var pixels = 1
        var run = 1
        while pixels + run + 1 <= 2500 {
            run += 1
            put(next)
            next += 1
            if next == 1 << width, width < 12 { width += 1 }
            pixels += run
        }
        put(77 + 0)
        put(513)
        if count > 0 { bytes.append(UInt8(bits & 255)) }
        var file = Data(Self.file([UInt8](repeating: 0, count: 1), 1, minimum: 9).prefix(13 + 768))
        let side = 40
        file = file.patched(Bytes.little(side, 2) + Bytes.little(side, 2), at: 6)
        file +=
            Data([0x2C, 0, 0, 0, 0]) + Data(Bytes.little(side, 2) + Bytes.little(side, 2)) + [0]
        file += Data([UInt8(minimum)])
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let part = bytes[start..<min(bytes.count, start + 255)]
            file += Data([UInt8(part.count)] + part)
        }
        file += Data([0, 0x3B])
        let bitmap = try Codecs.decode(file).bitmap
        for place in [(0, 0), (39, 0), (5, 20), (39, 39)] {
            #expect(bitmap[place.0, place.1] == RGBA(red: 77, green: 178, blue: 7))
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `damaged codes end in an image or an error`() throws {
        let pixels = (0..<900).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let file = Self.file(pixels, 30, minimum: 11)
        var random = SplitMix64(seed: 8)
        for _ in 0..<2000 {
            var damaged = file
            for _ in 0...random.next() % 6 {
                let place = 790 + Int(random.next() % UInt64(file.count - 790))
                damaged[place] = UInt8(truncatingIfNeeded: random.next())
            }
            _ = try? Codecs.decode(damaged)
        }
    }
}
