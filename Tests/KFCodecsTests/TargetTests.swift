import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// Decoding straight to a size.
struct TargetTests {
    @Test(arguments: Fixture.understood)
    func `fit keeps the ratio and never enlarges`(fixture: Fixture) throws {
        let data = try fixture.data
        let size = try fixture.expected.size
        let box = PixelSize(width: 16, height: 16)
        let small = try Codecs.decode(data, options: DecodeOptions(target: .fit(box)))
        #expect(small.bitmap.size == size.fitted(inside: box))
        let large = PixelSize(width: 1000, height: 1000)
        let same = try Codecs.decode(data, options: DecodeOptions(target: .fit(large)))
        #expect(same.bitmap.size == size)
    }

    @Test(arguments: Fixture.understood)
    func `exact may enlarge and change the ratio`(fixture: Fixture) throws {
        let size = PixelSize(width: 90, height: 20)
        let options = DecodeOptions(target: .exact(size))
        #expect(try Codecs.decode(fixture.data, options: options).bitmap.size == size)
    }

    @Test(arguments: Fixture.all("png").filter(\.hasExpectation))
    func `scaling while decoding equals scaling afterwards`(fixture: Fixture) throws {
        // Decoders may apply orientation and colour before or after scaling.
        guard !fixture.name.contains("exif"), !fixture.name.contains("profile") else { return }
        let box = PixelSize(width: 11, height: 9)
        let data = try fixture.data
        let straight = try Codecs.decode(data, options: DecodeOptions(target: .exact(box))).bitmap
        let detour = try resample(Codecs.decode(data).bitmap, to: box)
        #expect(straight == detour)
    }

    @Test func `a JPEG decodes at the cheapest eighths that leave half to the resampler`() {
        let stored = PixelSize(width: 4000, height: 3000)
        let eighths = { (width: Int) in
            ShrinkOnLoad.jpegEighths(
                stored: stored,
                target: stored.fitted(inside: PixelSize(width: width, height: width))
            )
        }
        #expect(eighths(200) == 1)
        #expect(eighths(249) == 1)
        #expect(eighths(400) == 2)
        #expect(eighths(900) == 4)
        #expect(eighths(1001) == 8)
        #expect(eighths(4000) == 8)
    }

    @Test func `a JPEG that is reduced later decodes at the eighths of its target`() throws {
        let stored = PixelSize(width: 4001, height: 3000)
        let eighths = { (width: Int, height: Int) in
            let target = PixelSize(width: width, height: height)
            return ShrinkOnLoad.jpegEighths(stored: stored, target: target, margin: 1)
        }
        #expect(eighths(501, 375) == 1)
        #expect(eighths(501, 376) == 2)
        #expect(eighths(2001, 1500) == 4)
        #expect(eighths(2002, 1500) == 8)
        for (name, width, height) in [("baseline.jpg", 34, 23), ("lossy.webp", 17, 13)] {
            let data = try Fixture(name: name).data
            let half = DecodeOptions.Target.exact(PixelSize(width: width, height: height))
            let usual = try Codecs.decode(data, options: DecodeOptions(target: half)).bitmap
            let options = DecodeOptions(target: half, isReducedLater: true)
            let direct = try Codecs.decode(data, options: options).bitmap
            #expect(direct.size == usual.size)
            #expect(direct != usual, "\(name) was resampled")
            #expect(meanDifference(direct, usual) < 6, "\(name)")
        }
    }

    @Test func `a small JPEG target looks like the big image scaled down`() throws {
        let data = try Fixture(name: "baseline.jpg").data
        let size = PixelSize(width: 9, height: 6)
        let straight = try Codecs.decode(data, options: DecodeOptions(target: .exact(size))).bitmap
        let detour = try resample(Codecs.decode(data).bitmap, to: size)
        #expect(meanDifference(straight, detour) < 6)
    }

    /// The mean difference of the red channel, in steps of 1 / 255.
    private func meanDifference(_ a: Bitmap, _ b: Bitmap) -> Int {
        var sum = 0
        for y in 0..<a.size.height {
            for x in 0..<a.size.width { sum += abs(Int(a[x, y].red) - Int(b[x, y].red)) }
        }
        return sum / (a.size.width * a.size.height)
    }
}
