import Foundation
import KFPixels
import Testing

@testable import KFCodecs

/// A file of `Fixtures` with the result of an independent decoder.
struct Fixture: CustomTestStringConvertible, Sendable {
    let name: String

    var testDescription: String { name }

    static let folder = Bundle.module.bundleURL.appendingPathComponent("Fixtures")

    /// The fixtures with one of the extensions.
    static func all(_ extensions: String...) -> [Fixture] {
        // A missing folder results in tests without cases, which `FixtureTests` rejects.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted()
            .filter { name in extensions.contains { name.hasSuffix("." + $0) } }
            .map(Fixture.init(name:))
    }

    /// All fixtures.
    static var all: [Fixture] { kinds.flatMap { all($0) } }

    /// The extensions of the formats whose libraries are installed.
    static let kinds: [String] = FileFormat.allCases.compactMap { format -> String? in
        switch format {
        case .jpeg: return "jpg"
        case .png, .gif, .webp, .avif, .bmp, .ico: return format.rawValue
        case .heif: return has(format) ? "heic" : nil
        case .jxl, .tiff, .svg: return has(format) ? format.rawValue : nil
        }
    }

    /// Whether the library of a format is installed that is loaded when it is needed.
    static func has(_ format: FileFormat) -> Bool {
        // Programs read drawings in workers.
        if format == .svg { Drawings.drawHere() }
        return OptionalFormat(format)?.isAvailable == true
    }

    /// All fixtures that an independent decoder could decode.
    static var understood: [Fixture] { all.filter(\.hasExpectation) }

    /// Whether the file preserves every pixel.
    var isLossless: Bool {
        let isLossy = [".jpg", ".avif", ".heic"].contains { name.hasSuffix($0) }
        return !isLossy && !name.hasPrefix("lossy")
    }

    /// Whether colours were converted or edges antialiased, so that rounding may differ.
    var isConverted: Bool {
        name.contains("profile") || name.contains("linear") || name.hasPrefix("cmyk")
            || name.hasSuffix(".svg")
    }

    var data: Data {
        get throws { try Data(contentsOf: Self.folder.appendingPathComponent(name)) }
    }

    var byteCount: Int {
        // A missing file fails the test that reads it.
        let file = Self.folder.appendingPathComponent(name)
        return (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
    }

    var hasExpectation: Bool {
        FileManager.default.fileExists(atPath: expectationURL.path)
    }

    /// The frames as straight RGBA.
    var expected: Expectation {
        get throws {
            let bytes = [UInt8](try Data(contentsOf: expectationURL))
            let numbers = (0..<2).map { index in
                (0..<4).reduce(0) { $0 | Int(bytes[index * 4 + $1]) << ($1 * 8) }
            }
            return Expectation(
                size: PixelSize(width: numbers[0], height: numbers[1]),
                pixels: Array(bytes[8...])
            )
        }
    }

    private var expectationURL: URL { Self.folder.appendingPathComponent(name + ".rgba") }
}

/// Straight RGBA of one or more frames.
struct Expectation {
    let size: PixelSize
    let pixels: [UInt8]

    var frameCount: Int { pixels.count / frameBytes }

    private var frameBytes: Int { size.width * size.height * 4 }

    /// The greatest and the mean difference from a frame, both premultiplied.
    func difference(to bitmap: Bitmap, frame: Int = 0) -> (greatest: Int, mean: Double) {
        guard bitmap.size == size else { return (256, 256) }
        var greatest = 0
        var sum = 0
        for y in 0..<size.height {
            for x in 0..<size.width {
                let offset = frame * frameBytes + (y * size.width + x) * 4
                let wanted = RGBA(
                    red: pixels[offset],
                    green: pixels[offset + 1],
                    blue: pixels[offset + 2],
                    alpha: pixels[offset + 3]
                ).premultiplied
                let found = bitmap[x, y]
                for channel in [\RGBA.red, \.green, \.blue, \.alpha] {
                    let distance = abs(Int(wanted[keyPath: channel]) - Int(found[keyPath: channel]))
                    greatest = max(greatest, distance)
                    sum += distance
                }
            }
        }
        return (greatest, Double(sum) / Double(frameBytes))
    }
}
