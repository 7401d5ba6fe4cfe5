package import Foundation
import KFCodecs
package import KFPixels

/// A reference image on disk that was checked by eye, and that results are compared with.
package struct GoldenPicture: Sendable {
    /// The difference of two bitmaps, in steps of 255 of premultiplied channels.
    package struct Difference: Sendable {
        package var max: Int
        package var mean: Double

        package init(max: Int, mean: Double) {
            self.max = max
            self.mean = mean
        }
    }

    /// The file name without its extension.
    package let name: String

    package init(_ name: String) {
        self.name = name
    }

    /// Whether this run writes the files instead of comparing; the test must fail then.
    package static var isRecording: Bool {
        ProcessInfo.processInfo.environment["RECORD"] == "1"
    }

    package var url: URL {
        URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Golden/\(name).png")
    }

    /// Writes the file, unless it has these pixels.
    package func record(_ bitmap: Bitmap) throws {
        if let difference = try? self.difference(from: bitmap), difference.max == 0 { return }
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Codecs.encode(bitmap, as: .png).write(to: url)
    }

    /// Compares with the file; nil if the sizes differ.
    package func difference(from bitmap: Bitmap) throws -> Difference? {
        let golden = try Codecs.decode(try Data(contentsOf: url)).bitmap
        return Self.difference(golden, bitmap)
    }

    /// Compares two bitmaps; nil if their sizes differ.
    package static func difference(_ one: Bitmap, _ other: Bitmap) -> Difference? {
        guard one.size == other.size else { return nil }
        var largest = 0
        var sum = 0
        one.withPixels { left, leftStride in
            other.withPixels { right, rightStride in
                for y in 0..<one.height {
                    for x in 0..<(one.width * Bitmap.bytesPerPixel) {
                        let here = Int(left[y * leftStride + x])
                        let distance = abs(here - Int(right[y * rightStride + x]))
                        largest = Swift.max(largest, distance)
                        sum += distance
                    }
                }
            }
        }
        let count = one.width * one.height * Bitmap.bytesPerPixel
        return Difference(max: largest, mean: Double(sum) / Double(count))
    }
}
