import Testing

@testable import KFPixels

struct RowResamplerTests {
    typealias Pictures = TestPictures

    private func push(_ picture: Bitmap, rows: Int, into resampler: RowResampler) {
        picture.withPixels { pixels, stride in
            for y in 0..<rows { resampler.push(pixels + y * stride) }
        }
    }

    @Test(arguments: [(10, 8), (33, 47), (150, 120), (1, 1), (61, 5)])
    func `pushing rows gives the same as the whole bitmap`(size: (Int, Int)) throws {
        let picture = try Pictures.noise(61, 47)
        let target = Pictures.size(size.0, size.1)
        for filter in ResampleFilter.allCases {
            let resampler = try RowResampler(
                source: picture.size,
                target: target,
                filter: filter,
                isOpaque: false
            )
            push(picture, rows: 47, into: resampler)
            #expect(resampler.rowsPushed == 47)
            #expect(try resampler.finish() == resample(picture, to: target, filter: filter))
        }
    }

    @Test func `rows may come in groups of any size`() throws {
        let picture = try Pictures.noise(40, 50)
        let size = Pictures.size(5, 6)
        let resampler = try RowResampler(source: picture.size, target: size, isOpaque: false)
        picture.withPixels { pixels, stride in
            for (first, count) in [(0, 1), (1, 20), (21, 7), (28, 22), (0, 3)] {
                resampler.push(pixels + first * stride, bytesPerRow: stride, count: count)
            }
        }
        #expect(resampler.rowsPushed == 50)
        #expect(try resampler.finish() == resample(picture, to: size))
    }

    @Test func `missing rows leave the rest transparent`() throws {
        let picture = try Pictures.constant(.white, 40, 40)
        let size = Pictures.size(20, 20)
        let resampler = try RowResampler(source: picture.size, target: size, isOpaque: true)
        push(picture, rows: 20, into: resampler)
        let result = resampler.finish()
        #expect(!result.isOpaque)
        #expect(result[3, 5] == .white)
        #expect(result[3, 15] == .clear)
    }

    @Test func `rows beyond the height are ignored`() throws {
        let picture = try Pictures.photo(12, 12)
        let size = Pictures.size(5, 5)
        let resampler = try RowResampler(source: picture.size, target: size, isOpaque: true)
        push(picture, rows: 12, into: resampler)
        push(picture, rows: 12, into: resampler)
        #expect(resampler.rowsPushed == 12)
        #expect(try resampler.finish() == resample(picture, to: size))
    }

    @Test func `an empty source is refused`() {
        #expect(throws: PixelError.emptySize(Pictures.size(0, 2))) {
            try RowResampler(
                source: Pictures.size(0, 2),
                target: Pictures.size(1, 1),
                isOpaque: true
            )
        }
    }
}
