import Foundation

/// The size in the header of a file of a usual format.
struct PictureSize: Sendable, Hashable {
    let width: Int
    let height: Int
    let format: OutputFormat
    /// The work to decode a pixel.
    let weight: Double

    var pixelCount: Int { width * height }

    /// Reads a header; nil for other formats, animations and damaged files.
    init?(of file: Data) {
        let bytes = [UInt8](file.prefix(Self.longestHead))
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self.init(jpeg: bytes)
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            self.init(.png, Self.number(bytes[...], 16, 4), Self.number(bytes[...], 20, 4), 3)
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self.init(webP: bytes)
        } else {
            return nil
        }
    }

    /// Metadata may stand before the size.
    private static let longestHead = 256 << 10

    private init?(_ format: OutputFormat, _ width: Int?, _ height: Int?, _ weight: Double) {
        // More than any limit; products stay within the range.
        guard let width, let height, (1...1 << 20).contains(width), (1...1 << 20).contains(height)
        else { return nil }
        (self.format, self.width, self.height, self.weight) = (format, width, height, weight)
    }

    /// Source: ITU-T T.81, B.2.2.
    private init?(jpeg bytes: [UInt8]) {
        var rest = bytes.dropFirst(2)
        while rest.count >= 4, rest[rest.startIndex] == 0xFF {
            let marker = rest[rest.startIndex + 1]
            guard let length = Self.number(rest, 2, 2), length >= 2 else { return nil }
            if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
                let weight = marker == 0xC2 ? 3.0 : 1
                self.init(.jpeg, Self.number(rest, 7, 2), Self.number(rest, 5, 2), weight)
                return
            }
            rest = rest.dropFirst(2 + length)
        }
        return nil
    }

    /// Source: RFC 9649, 2.5 to 2.7.
    private init?(webP bytes: [UInt8]) {
        func little(_ place: Int, _ count: Int) -> Int? {
            guard bytes.count >= place + count else { return nil }
            return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        switch String(decoding: bytes.dropFirst(12).prefix(4), as: UTF8.self) {
        case "VP8X":
            // The bit of animations.
            guard bytes.count > 20, bytes[20] & 0x02 == 0 else { return nil }
            self.init(.webp, little(24, 3).map { $0 + 1 }, little(27, 3).map { $0 + 1 }, 3)
        case "VP8 ":
            self.init(
                .webp,
                little(26, 2).map { $0 & 0x3FFF },
                little(28, 2).map { $0 & 0x3FFF },
                3
            )
        case "VP8L":
            let bits = little(21, 4)
            self.init(.webp, bits.map { $0 & 0x3FFF + 1 }, bits.map { $0 >> 14 & 0x3FFF + 1 }, 3)
        default: return nil
        }
    }

    /// A number of some bytes, the highest first.
    private static func number(_ bytes: ArraySlice<UInt8>, _ place: Int, _ count: Int) -> Int? {
        guard bytes.count >= place + count else { return nil }
        return bytes.dropFirst(place).prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
}
