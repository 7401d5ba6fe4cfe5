import Testing

@testable import KFPixels

struct AttentionTests {
    typealias Pictures = TestPictures

    /// Flat grey with a busy patch.
    private func patch(_ width: Int, _ height: Int, at x: Int, _ y: Int) throws -> Bitmap {
        try Pictures.make(width, height, isOpaque: true) { column, row in
            let isInside = (x..<(x + 20)).contains(column) && (y..<(y + 20)).contains(row)
            guard isInside else { return RGBA(red: 128, green: 128, blue: 128) }
            return (column + row) % 4 < 2 ? .white : RGBA(red: 200, green: 20, blue: 20)
        }
    }

    @Test(arguments: [0, 60, 170])
    func `the window goes to the busy patch`(x: Int) throws {
        let picture = try patch(200, 50, at: x, 10)
        let rect = try attentionRect(picture, ratio: Pictures.size(1, 1))
        #expect(rect.size == Pictures.size(50, 50))
        #expect(rect.x <= x + 2 && rect.x + rect.width >= min(200, x + 18))
    }

    @Test func `tall bitmaps slide downwards`() throws {
        let rect = try attentionRect(patch(40, 160, at: 10, 130), ratio: Pictures.size(2, 1))
        #expect(rect.size == Pictures.size(40, 20))
        #expect(rect.y >= 120)
    }

    @Test func `a bitmap without features is cut in the middle`() throws {
        let flat = try Pictures.constant(.white, 101, 51)
        let rect = try attentionRect(flat, ratio: Pictures.size(1, 1))
        #expect(rect == PixelRect(x: 25, y: 0, width: 51, height: 51))
    }

    @Test func `a smart crop has exactly the asked size`() throws {
        let picture = try Pictures.photo(60, 33)
        for size in [Pictures.size(20, 20), Pictures.size(1, 50), Pictures.size(60, 33)] {
            #expect(try smartCrop(picture, to: size).size == size)
        }
        #expect(throws: PixelError.emptySize(Pictures.size(0, 5))) {
            try smartCrop(picture, to: Pictures.size(0, 5))
        }
    }

    @Test func `the dominant colour is the one of most pixels`() throws {
        let green = RGBA(red: 10, green: 160, blue: 40)
        let picture = try Pictures.make(90, 90) { x, y in
            y < 10 ? .clear : x < 55 ? green : RGBA(red: UInt8(x * 2), green: 0, blue: UInt8(y))
        }
        let found = try dominantColor(picture)
        #expect(abs(Int(found.red) - 10) <= 2)
        #expect(abs(Int(found.green) - 160) <= 2)
        #expect(abs(Int(found.blue) - 40) <= 2)
        #expect(found.alpha == 255)
        #expect(try dominantColor(Pictures.constant(.clear, 8, 8)) == .clear)
    }

    @Test func `the average colour weighs by alpha`() throws {
        let picture = try Pictures.make(8, 2) { x, _ in
            x < 4 ? RGBA(red: 255, green: 0, blue: 0) : .clear
        }
        let found = try averageColor(picture)
        #expect(found == RGBA(red: 255, green: 0, blue: 0, alpha: 128))
    }
}
