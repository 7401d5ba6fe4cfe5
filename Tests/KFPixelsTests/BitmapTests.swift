import Testing

@testable import KFPixels

struct BitmapTests {
    @Test func `a fresh bitmap is transparent`() throws {
        let bitmap = try Bitmap(size: PixelSize(width: 3, height: 2), isOpaque: false) { _, _ in }
        #expect(bitmap[2, 1] == .clear)
    }

    @Test(arguments: [PixelSize(width: 0, height: 4), PixelSize(width: 4, height: -1)])
    func `a size without pixels is refused`(size: PixelSize) {
        #expect(throws: PixelError.emptySize(size)) {
            try Bitmap(size: size, isOpaque: false) { _, _ in }
        }
    }

    @Test func `a side beyond the limit is refused before memory is taken`() {
        let size = PixelSize(width: 65_536, height: 1)
        #expect(throws: PixelError.tooLarge(size)) {
            try Bitmap(size: size, isOpaque: false) { _, _ in }
        }
    }

    @Test func `premultiplying rounds to nearest`() {
        let half = RGBA(red: 255, green: 101, blue: 1, alpha: 128).premultiplied
        #expect(half == RGBA(red: 128, green: 51, blue: 1, alpha: 128))
    }

    @Test func `rectangles at the ends of the numbers touch like others`() {
        let whole = PixelRect(x: 0, y: 0, width: 10, height: 10)
        let far = PixelRect(x: 3, y: .max - 1, width: .max, height: .max)
        #expect(far.intersection(whole).isEmpty)
        #expect(far.intersection(far).size == PixelSize(width: .max - 3, height: 1))
        let wide = PixelRect(x: .min, y: .min, width: .max, height: .max)
        #expect(wide.intersection(whole).isEmpty)
        let both = PixelRect(x: -5, y: 4, width: .max, height: .max)
        #expect(both.intersection(whole) == PixelRect(x: 0, y: 4, width: 10, height: 6))
    }

    @Test func `bytes beyond the numbers saturate`() {
        let huge = PixelSize(width: 1 << 31, height: 1 << 31)
        #expect(huge.byteCount(bytesPerPixel: 4) == .max)
        #expect(PixelSize(width: .max, height: 2).byteCount(bytesPerPixel: 1) == .max)
        #expect(PixelSize(width: 3, height: 2).byteCount(bytesPerPixel: 4) == 24)
    }
}
