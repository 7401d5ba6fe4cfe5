import Foundation

/// Exif blocks and colour profiles, and JPEG files that carry them.
enum TestExif {
    /// Found in the block as it is.
    static let camera = "TestCamera"
    /// Found where a thumbnail would be.
    static let thumbnail = "THUMBNAIL!"

    /// A block of orientation 6, with a camera, a size of 640 × 480 and a thumbnail.
    static var block: [UInt8] {
        let camera = Array(camera.utf8) + [0, 0]
        let thumbnail = Array(thumbnail.utf8)
        // The offsets of the directories and of what they point to.
        let (main, details) = (8, 8 + 2 + 3 * 12 + 4)
        let second = details + 2 + 2 * 12 + 4
        let text = second + 2 + 2 * 12 + 4
        let image = text + camera.count
        let ascii = (tag: 0x010F, type: 2, count: 11, value: text)
        return Array("II*\0".utf8) + number(main, 4)
            + directory(
                [ascii, (0x0112, 3, 1, 6), (0x8769, 4, 1, details)],
                next: second
            )
            + directory([(0xA002, 4, 1, 640), (0xA003, 4, 1, 480)], next: 0)
            + directory([(0x0201, 4, 1, image), (0x0202, 4, 1, thumbnail.count)], next: 0)
            + camera + thumbnail
    }

    /// Found in ``located``.
    static let (place, date) = ("PLACE-OF-GPS", "2024:05:06 07:08:09")

    /// A block of orientation 6, with a camera, a date, a copyright and a position.
    static var located: [UInt8] {
        let size = { (count: Int) in 2 + count * 12 + 4 }
        let details = 8 + size(5)
        let position = details + size(1)
        let texts = [camera, "Rita Rights", date, place].map { Array($0.utf8) + [0] }
        var offsets: [Int] = []
        var end = position + size(1)
        for text in texts {
            offsets.append(end)
            end += text.count
        }
        return Array("II*\0".utf8) + number(8, 4)
            + directory(
                [
                    (0x010F, 2, texts[0].count, offsets[0]), (0x0112, 3, 1, 6),
                    (0x8298, 2, texts[1].count, offsets[1]), (0x8769, 4, 1, details),
                    (0x8825, 4, 1, position),
                ],
                next: 0
            )
            + directory([(0x9003, 2, texts[2].count, offsets[2])], next: 0)
            + directory([(0x001B, 2, texts[3].count, offsets[3])], next: 0)
            + texts.joined()
    }

    /// A TIFF of one pixel, which was scanned at ``date``.
    static var scan: Data {
        let text = Array(date.utf8) + [0]
        let place = 8 + 2 + 10 * 12 + 4
        let numbers = [
            (0x0100, 1), (0x0101, 1), (0x0102, 8), (0x0103, 1), (0x0106, 1),
            (0x0111, place + text.count), (0x0115, 1), (0x0116, 1), (0x0117, 1),
        ]
        let entries = numbers.map { (tag: $0, type: 3, count: 1, value: $1) }
        let changed = (tag: 0x0132, type: 2, count: text.count, value: place)
        return Data(
            Array("II*\0".utf8) + number(8, 4) + directory(entries + [changed], next: 0) + text + [
                7
            ]
        )
    }

    /// Adds a block, and a profile that no reader can use, to a JPEG.
    static func jpeg(_ jpeg: Data, exif: [UInt8]? = block, hasProfile: Bool = true) -> Data {
        var segments: [UInt8] = []
        if let exif { segments += segment(0xE1, Array("Exif\0\0".utf8) + exif) }
        if hasProfile {
            let profile = Array("ICC_PROFILE\0".utf8) + [1, 1] + [UInt8](repeating: 7, count: 200)
            segments += segment(0xE2, profile)
        }
        return jpeg.prefix(2) + Data(segments) + jpeg.dropFirst(2)
    }

    private static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, marker] + number(body.count + 2, 2).reversed() + body
    }

    private static func directory(
        _ entries: [(tag: Int, type: Int, count: Int, value: Int)],
        next: Int
    ) -> [UInt8] {
        let body = entries.flatMap { entry in
            number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
                + number(entry.value, 4)
        }
        return number(entries.count, 2) + body + number(next, 4)
    }

    /// Little-endian.
    private static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

extension Data {
    func contains(_ text: String) -> Bool { firstRange(of: Data(text.utf8)) != nil }
}
