import Testing

@testable import Kingfisher

/// Messages about documents and videos.
struct DocumentAnswerTests {
    @Test(arguments: [0, 1, Int.max])
    func `a file of any size has a place, also an empty one`(byteCount: Int) throws {
        var writer = WireWriter()
        FilmPlace(byteCount: byteCount).write(to: &writer)
        let found = try writer.bytes.withUnsafeBytes { bytes in
            var reader = WireReader(bytes)
            return try FilmPlace(from: &reader).byteCount
        }
        #expect(found == byteCount)
    }

    @Test(
        arguments: [
            (0, 0, true), (595, 842.5, true), (-1, 2, false), (1, -0.5, false), (.nan, 1, false),
            (1, .infinity, false),
        ] as [(Double, Double, Bool)]
    )
    func `the sides of a page are lengths`(width: Double, height: Double, isValid: Bool) {
        let facts = PageFacts(pageCount: 1, width: width, height: height)
        let answer = try? DocumentAnswer(DocumentAnswer.page(facts).message())
        guard case .page(let received)? = answer else {
            #expect(!isValid)
            return
        }
        #expect(isValid)
        #expect(received == facts)
    }
}
