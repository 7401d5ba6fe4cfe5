import Testing

@testable import KFCodecs
@testable import KFPixels

struct EXIFOrientationTests {
    /// A directory with one entry in the order of `mark`, whose value is in four bytes.
    private static func orientation(
        _ mark: String,
        type: UInt8,
        value: [UInt8],
        prefix: String = ""
    ) -> Orientation {
        let numbers: [[UInt8]] = [
            [0, 42], [0, 0, 0, 8], [0, 1], [0x01, 0x12], [0, type], [0, 0, 0, 1],
        ]
        let block =
            Array(prefix.utf8) + Array(mark.utf8)
            + numbers.flatMap { mark == "MM" ? $0 : $0.reversed() } + value + [0, 0, 0, 0]
        return block.withUnsafeBytes(EXIFOrientation.parse)
    }

    @Test(arguments: ["", "Exif\0\0"])
    func `the orientation is a BYTE, a SHORT or a LONG, in both orders`(prefix: String) {
        let places: [(mark: String, type: UInt8, value: [UInt8])] = [
            ("MM", 1, [6, 0, 0, 0]), ("MM", 3, [0, 6, 0, 0]), ("MM", 4, [0, 0, 0, 6]),
            ("II", 1, [6, 0, 0, 0]), ("II", 3, [6, 0, 0, 0]), ("II", 4, [6, 0, 0, 0]),
        ]
        for (mark, type, value) in places {
            let found = Self.orientation(mark, type: type, value: value, prefix: prefix)
            #expect(found == .right, "\(mark) \(type)")
        }
    }

    @Test func `an orientation of another type, or of a number without meaning, is up`() {
        for type in [0, 2, 5, 6, 8, 9, 13] as [UInt8] {
            #expect(Self.orientation("II", type: type, value: [6, 0, 0, 0]) == .up, "\(type)")
        }
        for value in [[0, 0, 0, 0], [9, 0, 0, 0], [6, 1, 0, 0], [6, 0, 0, 1]] as [[UInt8]] {
            #expect(Self.orientation("II", type: 4, value: value) == .up, "\(value)")
        }
        #expect(Self.orientation("IM", type: 3, value: [6, 0, 6, 0]) == .up)
    }
}
