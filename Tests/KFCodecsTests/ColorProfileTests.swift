import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Colours that a file states as code points.
struct ColorProfileTests {
    @Test(arguments: [(1, 13), (1, 1), (1, 2), (2, 2), (2, 13), (1, 6), (99, 13), (12, 99)])
    func `code points that mean sRGB, or nothing, need no conversion`(
        primaries: Int,
        transfer: Int
    ) {
        #expect(ColorProfile(primaries: primaries, transfer: transfer) == nil)
    }

    @Test(arguments: [(12, 13), (9, 1), (9, 16), (9, 18), (1, 8), (1, 16), (5, 4), (11, 5), (2, 8)])
    func `white stays white, black black and grey neutral`(primaries: Int, transfer: Int) throws {
        let profile = try #require(ColorProfile(primaries: primaries, transfer: transfer))
        let size = PixelSize(width: 3, height: 1)
        let bitmap = try Bitmap(size: size, isOpaque: true) { pixels, _ in
            for (x, level) in [UInt8(0), 100, 255].enumerated() {
                for channel in 0..<3 { pixels[x * 4 + channel] = level }
                pixels[x * 4 + 3] = 255
            }
        }
        #expect(profile.convert(bitmap))
        #expect(bitmap[0, 0] == RGBA(red: 0, green: 0, blue: 0, alpha: 255))
        let grey = bitmap[1, 0]
        // Cinema's white point differs from that of screens; it is adapted, with some rounding.
        #expect(abs(Int(grey.red) - Int(grey.blue)) <= 2, "\(grey)")
        #expect(abs(Int(grey.red) - Int(grey.green)) <= 2, "\(grey)")
        #expect(min(bitmap[2, 0].red, bitmap[2, 0].green, bitmap[2, 0].blue) >= 253)
    }

    @Test func `the signal of reference white leaves room for brighter light`() throws {
        // ITU-R BT.2408: 58 % of the signal for PQ, 75 % for HLG. It was white before highlights
        // were compressed instead of clipped.
        for (transfer, signal) in [(16, UInt8(148)), (18, 191)] {
            let profile = try #require(ColorProfile(primaries: 9, transfer: transfer))
            let size = PixelSize(width: 1, height: 1)
            let bitmap = try Bitmap(size: size, isOpaque: true) { pixels, _ in
                for channel in 0..<3 { pixels[channel] = signal }
                pixels[3] = 255
            }
            profile.convert(bitmap)
            #expect((225...235).contains(bitmap[0, 0].green), "\(bitmap[0, 0])")
        }
    }
}
