import Foundation
import Kingfisher
import Testing

/// Image files, and files that only look like images.
enum TestPictures {
    /// A document of the library's tests.
    static func document(_ name: String) throws -> Data {
        let tests = URL(filePath: #filePath).appending(path: "../../../../Tests/Documents")
        return try Data(contentsOf: tests.appending(path: name).standardizedFileURL)
    }

    /// Red on the left, blue on the right.
    static func twoColours(width: Int, height: Int) throws -> KFCrossPlatformImage {
        let (red, blue): ([UInt8], [UInt8]) = ([204, 26, 26, 255], [26, 51, 230, 255])
        let row = (0..<width).flatMap { $0 < width / 2 ? red : blue }
        let bytes = Data((0..<height).flatMap { _ in row })
        return try #require(
            KFCrossPlatformImage(premultipliedRGBA: bytes, width: width, height: height)
        )
    }

    /// A PNG of noise, which encoders are slowest at.
    static func noise(width: Int, height: Int) throws -> Data {
        var state: UInt64 = 1
        var bytes = Data(count: width * height * 4)
        for index in bytes.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            bytes[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: state >> 40)
        }
        let image = KFCrossPlatformImage(premultipliedRGBA: bytes, width: width, height: height)
        return try #require(image?.kf.pngRepresentation())
    }

    /// A PNG of one grey.
    static func solid(_ level: UInt8, width: Int, height: Int) throws -> Data {
        var bytes = Data(repeating: level, count: width * height * 4)
        for pixel in 0..<width * height { bytes[pixel * 4 + 3] = 255 }
        let image = KFCrossPlatformImage(premultipliedRGBA: bytes, width: width, height: height)
        return try #require(image?.kf.pngRepresentation())
    }

    static func jpeg(width: Int = 640, height: Int = 480) throws -> Data {
        try #require(
            try twoColours(width: width, height: height)
                .kf.jpegRepresentation(compressionQuality: 0.95)
        )
    }

    /// A JPEG of grain in two sizes, so that its thumbnails take their size as those of photographs do.
    static func photo(width: Int = 600, height: Int = 400) throws -> Data {
        var state: UInt64 = 1
        var bytes = Data(repeating: 255, count: width * height * 4)
        for index in bytes.indices where index % 4 != 3 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let cell = index / 4 % width / 12 &* 2_654_435_761 ^ index / 4 / width / 12 &* 40_503
            bytes[index] = UInt8(cell >> 4 & 127) + UInt8(state >> 59)
        }
        let image = KFCrossPlatformImage(premultipliedRGBA: bytes, width: width, height: height)
        return try #require(image?.kf.jpegRepresentation(compressionQuality: 0.9))
    }

    static func png(width: Int = 64, height: Int = 48) throws -> Data {
        try #require(try twoColours(width: width, height: height).kf.pngRepresentation())
    }

    /// A PNG whose header states 60,000 × 60,000, with valid checksums and hardly any pixel data.
    static func enormousPNG() -> Data {
        let sides = [60_000, 60_000].flatMap { (side: UInt32) in
            withUnsafeBytes(of: side.bigEndian, Array.init)
        }
        // An empty zlib stream: its header, one empty block, the checksum of no data.
        let pixels: [UInt8] = [0x78, 0x9C, 0x03, 0, 0, 0, 0, 1]
        return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            + chunk("IHDR", sides + [8, 6, 0, 0, 0]) + chunk("IDAT", pixels) + chunk("IEND", [])
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> Data {
        let body = Array(name.utf8) + content
        return Data(withUnsafeBytes(of: UInt32(content.count).bigEndian, Array.init))
            + body + withUnsafeBytes(of: checksum(body).bigEndian, Array.init)
    }

    /// CRC-32 as in the PNG specification, annex D.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
        }
        return ~crc
    }

    /// The colour of a pixel, 0…255 per channel.
    static func pixel(_ data: Data, x: Int, y: Int) throws -> [UInt8] {
        let image = try #require(KFCrossPlatformImage(data: data))
        return image.withPremultipliedRGBA { pixels, bytesPerRow in
            Array(pixels[(y * bytesPerRow + x * 4)..<(y * bytesPerRow + x * 4 + 4)])
        }
    }
}
