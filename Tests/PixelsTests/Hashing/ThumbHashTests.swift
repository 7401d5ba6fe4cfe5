import Foundation
import Testing

@testable import Pixels

struct ThumbHashTests {
    typealias Pictures = TestPictures

    private func pattern() throws -> Bitmap {
        try Pictures.make(20, 14, isOpaque: true) { x, y in
            RGBA(
                red: UInt8(x * 12 % 256),
                green: UInt8(y * 17 % 256),
                blue: UInt8(x * y * 3 % 256)
            )
        }
    }

    // Made by another implementation (thumbhash 0.1.2 for Python) from the same formula.
    private let known: [UInt8] = [
        154, 8, 14, 29, 152, 96, 118, 135, 112, 136, 136, 134, 136, 103, 136, 135, 244, 149, 15,
        247, 136,
    ]

    @Test func `encoding gives the bytes of another implementation`() throws {
        #expect(try ThumbHash(pattern()).bytes == known)
    }

    @Test func `average and ratio are those of another implementation`() throws {
        let hash = try ThumbHash(bytes: known)
        #expect(hash.aspectRatio == 1.4)
        #expect(hash.averageColor == RGBA(red: 114, green: 109, blue: 91))
    }

    @Test func `decoding sums the cosines that the format describes`() throws {
        // A hash of constants and one luma wave, built by hand: half grey, lx = 7, ly = 7.
        var bytes = [UInt8](repeating: 0x88, count: 5 + (27 + 5 + 5 + 1) / 2)
        let low = 32 | 32 << 6 | 32 << 12 | 31 << 18
        bytes[0] = UInt8(low & 255)
        bytes[1] = UInt8(low >> 8 & 255)
        bytes[2] = UInt8(low >> 16)
        bytes[3] = 7
        bytes[4] = 0
        bytes[5] = 0x8F
        let picture = try ThumbHash(bytes: bytes).bitmap()
        #expect(picture.size == Pictures.size(32, 32))
        for x in 0..<32 {
            // A nibble of 8 is not zero but 1/15: all the other waves hum along.
            var luma = 32.0 / 63
            for v in 0..<7 {
                for u in 0..<(7 - v) where u + v > 0 {
                    let factor = u == 1 && v == 0 ? 1.0 : 8 / 7.5 - 1
                    let across = cos(Double.pi / 32 * (Double(x) + 0.5) * Double(u))
                    luma += 2 * factor * across * cos(Double.pi / 32 * 3.5 * Double(v))
                }
            }
            let yellow = 32 / 31.5 - 1.0
            let blue = luma - 2 / 3 * yellow
            let expected = max(0, min(1, blue)) * 255
            #expect(abs(Double(picture[x, 3].blue) - expected) <= 1)
        }
    }

    @Test func `a gradient survives`() throws {
        let picture = try Pictures.make(60, 90, isOpaque: true) { x, y in
            RGBA(red: UInt8(x * 4), green: UInt8(y * 2), blue: 120)
        }
        let decoded = try ThumbHash(picture).bitmap()
        #expect(decoded.isOpaque)
        let small = try resample(picture, to: decoded.size)
        #expect(Pictures.psnr(decoded, Pictures.channels(small)) >= 24)
    }

    @Test func `transparency survives`() throws {
        let picture = try Pictures.make(64, 40) { x, _ in
            x < 32 ? RGBA(red: 200, green: 60, blue: 20) : .clear
        }
        let hash = try ThumbHash(picture)
        let decoded = try hash.bitmap()
        #expect(!decoded.isOpaque)
        #expect(decoded[3, 5].alpha > 200)
        #expect(decoded[decoded.width - 3, 5].alpha < 60)
        #expect(try ThumbHash(bytes: hash.bytes) == hash)
    }

    @Test(arguments: [(1, 1), (1, 300), (300, 1), (101, 100)])
    func `every size has a hash that reads back`(size: (Int, Int)) throws {
        for picture in [
            try Pictures.photo(size.0, size.1), try Pictures.constant(.clear, size.0, size.1),
        ] {
            let hash = try ThumbHash(picture)
            let again = try ThumbHash(bytes: hash.bytes)
            #expect(try again.bitmap().size.longestSide == 32)
        }
    }

    @Test func `bytes that are no hash are refused`() throws {
        for count in 0..<known.count {
            #expect(throws: PlaceholderHashError.self) {
                try ThumbHash(bytes: Array(known.prefix(count)))
            }
        }
        #expect(throws: PlaceholderHashError.wrongLength(found: 22, expected: 21)) {
            try ThumbHash(bytes: known + [0])
        }
        #expect(throws: PlaceholderHashError.invalidHeader) {
            try ThumbHash(bytes: [0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 30))
        }
    }

    @Test func `no bytes crash the decoder`() throws {
        var generator = SeededGenerator(seed: 9)
        var read = 0
        for _ in 0..<400 {
            let count = Int.random(in: 5...30, using: &generator)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard case .success(let hash) = Result(catching: { try ThumbHash(bytes: bytes) }) else {
                continue
            }
            read += 1
            #expect(try hash.bitmap().size.longestSide == 32)
        }
        #expect(read > 0)
    }
}
