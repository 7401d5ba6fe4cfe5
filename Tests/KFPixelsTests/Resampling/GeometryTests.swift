import Testing

@testable import KFPixels

struct GeometryTests {
    typealias Pictures = TestPictures

    // MARK: Crop

    @Test func `a crop is the part inside the bitmap`() throws {
        let picture = try Pictures.noise(20, 15)
        let result = try crop(picture, to: PixelRect(x: 15, y: -4, width: 100, height: 10))
        #expect(result.size == Pictures.size(5, 6))
        #expect(result[4, 5] == picture[19, 5])
    }

    @Test func `a crop outside the bitmap is refused`() throws {
        let picture = try Pictures.noise(4, 4)
        for rect in [
            PixelRect(x: 4, y: 0, width: 3, height: 3),
            PixelRect(x: 0, y: 0, width: 0, height: 3),
            PixelRect(x: Int.min, y: Int.max, width: Int.max, height: Int.min),
        ] {
            #expect(throws: PixelError.self) { try crop(picture, to: rect) }
        }
        let all = PixelRect(x: -1, y: -1, width: Int.max, height: 99)
        #expect(try crop(picture, to: all).storage === picture.storage)
    }

    // MARK: Flip and rotate

    @Test func `flips mirror and cancel out`() throws {
        let picture = try Pictures.noise(9, 6)
        let flipped = try flipHorizontally(picture)
        #expect(flipped[0, 2] == picture[8, 2])
        #expect(try flipVertically(picture)[3, 0] == picture[3, 5])
        #expect(try flipHorizontally(flipped) == picture)
    }

    @Test func `quarter turns are exact and clockwise`() throws {
        let picture = try Pictures.noise(9, 6)
        let turned = try rotate(picture, degrees: 90)
        #expect(turned.size == Pictures.size(6, 9))
        #expect(turned[5, 0] == picture[0, 0])
        #expect(try rotate(turned, degrees: -90) == picture)
        #expect(try rotate(rotate(picture, degrees: 180), degrees: 540) == picture)
        #expect(try rotate(picture, degrees: 720) == picture)
    }

    @Test func `any other angle keeps the middle and clears the corners`() throws {
        let white = try Pictures.constant(.white, 40, 20)
        let result = try rotate(white, degrees: 30)
        // 40 · cos 30° + 20 · sin 30° = 44.6, 40 · sin 30° + 20 · cos 30° = 37.3
        #expect(result.size == Pictures.size(45, 38))
        #expect(result[22, 18] == .white)
        #expect(result[0, 0] == .clear)
        #expect(!result.isOpaque)
        let alphas = Pictures.channels(result).enumerated().filter { $0.offset % 4 == 3 }
        let area = alphas.reduce(0) { $0 + $1.element } / 255
        #expect(abs(area - 800) < 8)
    }

    @Test func `turning goes clockwise at small angles too`() throws {
        // A mark above the centre moves to the right.
        let picture = try Pictures.make(41, 41) { x, y in
            (19...21).contains(x) && (3...7).contains(y) ? .white : .black
        }
        let result = try rotate(picture, degrees: 45)
        let middle = result.width / 2
        #expect(result[middle + 11, middle - 11].red > 200)
        #expect(result[middle - 11, middle - 11].red < 20)
    }

    @Test func `a rotated bitmap can have a background`() throws {
        let result = try rotate(
            Pictures.constant(.white, 10, 10),
            degrees: 45,
            background: RGBA(red: 0, green: 0, blue: 255)
        )
        #expect(result[0, 0] == RGBA(red: 0, green: 0, blue: 255))
        #expect(result.isOpaque)
    }

    @Test(arguments: [Double.nan, .infinity, 1e300, 0.0001, 359.9999])
    func `odd angles do not crash`(degrees: Double) throws {
        let result = try rotate(Pictures.noise(7, 3), degrees: degrees)
        #expect(result.width >= 7 && result.width <= 9)
    }

    // MARK: Pad and trim

    @Test func `padding puts room around, trimming takes it away`() throws {
        let picture = try Pictures.photo(12, 9)
        let red = RGBA(red: 255, green: 0, blue: 0)
        let padded = try pad(picture, top: 1, left: 2, bottom: 3, right: 4, color: red)
        #expect(padded.size == Pictures.size(18, 13))
        #expect(padded.isOpaque)
        #expect(padded[17, 12] == red)
        #expect(padded[2, 1] == picture[0, 0])
        #expect(try trim(padded) == picture)
        #expect(try pad(padded, top: -1, left: -2, bottom: -3, right: -4) == picture)
    }

    @Test func `padding that leaves nothing or far too much is refused`() throws {
        let picture = try Pictures.photo(4, 4)
        for side in [-4, -100, Int.min, 70_000, Int.max] {
            #expect(throws: PixelError.self) {
                try pad(picture, top: 0, left: side, bottom: 0, right: 0)
            }
        }
    }

    @Test func `trimming knows tolerance`() throws {
        let picture = try Pictures.make(10, 10) { x, y in
            x == 4 && y == 6 ? .black : RGBA(red: 250, green: UInt8(245 + (x + y) % 5), blue: 250)
        }
        #expect(contentRect(picture, tolerance: 8) == PixelRect(x: 4, y: 6, width: 1, height: 1))
        #expect(try trim(picture, tolerance: 8).size == Pictures.size(1, 1))
    }

    @Test func `a bitmap of one colour is not trimmed`() throws {
        let picture = try Pictures.constant(.white, 5, 4)
        #expect(contentRect(picture) == nil)
        #expect(try trim(picture) == picture)
    }

    // MARK: Sharpen

    @Test func `sharpening steepens edges and leaves flat parts alone`() throws {
        let picture = try Pictures.make(20, 5, isOpaque: true) { x, _ in
            let level: UInt8 = x < 10 ? 100 : 150
            return RGBA(red: level, green: level, blue: level)
        }
        let result = try sharpen(picture, amount: 1)
        #expect(result[0, 2] == picture[0, 2])
        #expect(result[9, 2].red < 100)
        #expect(result[10, 2].red > 150)
        #expect(try sharpen(picture, amount: 0) == picture)
        #expect(try sharpen(picture, amount: .nan) == picture)
    }

    @Test func `sharpening keeps colours below their alpha`() throws {
        let result = try sharpen(Pictures.noise(30, 20), amount: 3, size: 5)
        let channels = Pictures.channels(result)
        for pixel in stride(from: 0, to: channels.count, by: 4) {
            #expect(channels[pixel...pixel + 2].allSatisfy { $0 <= channels[pixel + 3] })
        }
    }
}
