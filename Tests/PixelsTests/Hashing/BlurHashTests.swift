import Testing

@testable import Pixels

struct BlurHashTests {
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

    // Made by another implementation (blurhash 1.1.5 for Python) from the same formula.
    private let known = "LnF$Ow2+wsbqqKWBjve@f_flfTfk"

    @Test func `encoding gives the text of another implementation`() throws {
        #expect(try BlurHash(pattern()).text == known)
        #expect(try BlurHash(pattern(), columns: 1, rows: 1).text == "00F$Ow")
        let finest = try BlurHash(pattern(), columns: 99, rows: 9)
        let start = "|nF$Ow2+wsbqWlt6SOt7SJqKWBjve@b0jJa^jFa~f_flfTfkfOfgfTfkfRs*Wsj"
        #expect(finest.text.hasPrefix(start))
        #expect(finest.text.utf8.count == 4 + 2 * 81)
    }

    @Test func `decoding gives the pixels of another implementation`() throws {
        let expected: [(text: String, pixels: [RGBA])] = [
            (
                known,
                [
                    RGBA(red: 46, green: 33, blue: 0), RGBA(red: 153, green: 129, blue: 172),
                    RGBA(red: 192, green: 179, blue: 140),
                ]
            ),
            (
                "LEHV6nWB2yk8pyo0adR*.7kCMdnj",
                [
                    RGBA(red: 135, green: 164, blue: 177), RGBA(red: 153, green: 132, blue: 118),
                    RGBA(red: 139, green: 143, blue: 146),
                ]
            ),
        ]
        for (text, pixels) in expected {
            let picture = try BlurHash(text: text).bitmap(size: Pictures.size(8, 6))
            for (pixel, place) in zip(pixels, [(0, 0), (5, 3), (7, 5)]) {
                let found = picture[place.0, place.1]
                #expect(abs(Int(found.red) - Int(pixel.red)) <= 1)
                #expect(abs(Int(found.green) - Int(pixel.green)) <= 1)
                #expect(abs(Int(found.blue) - Int(pixel.blue)) <= 1)
            }
        }
    }

    @Test func `the average is the first factor`() throws {
        let colour = RGBA(red: 30, green: 90, blue: 200)
        let hash = try BlurHash(Pictures.constant(colour, 10, 10))
        #expect(hash.averageColor == colour)
        #expect(try BlurHash(text: hash.text) == hash)
    }

    @Test func `texts that are no hash are refused`() throws {
        #expect(throws: PlaceholderHashError.invalidCharacter(offset: 3)) {
            try BlurHash(text: "LEH\"6nWB2yk8")
        }
        for length in 0..<known.utf8.count {
            #expect(throws: PlaceholderHashError.self) {
                try BlurHash(text: String(known.prefix(length)))
            }
        }
        #expect(throws: PlaceholderHashError.invalidHeader) { try BlurHash(text: "00~~~~") }
        #expect(throws: PlaceholderHashError.invalidHeader) { try BlurHash(text: "~00000") }
    }

    @Test func `no text crashes the decoder`() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<200 {
            let columns = Int.random(in: 1...9, using: &generator)
            let digits =
                [columns - 1]
                + (0..<(3 + 2 * columns)).map { _ in
                    Int.random(in: 0..<83, using: &generator)
                }
            guard
                case .success(let hash) = Result(catching: {
                    try BlurHash(text: Base83.text(digits))
                })
            else { continue }
            #expect(try hash.bitmap(size: Pictures.size(3, 2), punch: .nan).isOpaque)
        }
    }
}
