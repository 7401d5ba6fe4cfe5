import Testing

@testable import Pixels

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
}
