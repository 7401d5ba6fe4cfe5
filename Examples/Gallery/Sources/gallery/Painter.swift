import Foundation
import Kingfisher

/// Paints landscapes, each number another one, the same each time.
nonisolated struct Painter {
    let number: Int
    let width: Int
    let height: Int

    /// The landscape as a JPEG.
    func jpeg() -> Data? { image()?.kf.jpegRepresentation(compressionQuality: 0.85) }

    /// The landscape at a time, 0…1, once around the day.
    func image(time: Double = 0.3) -> KFCrossPlatformImage? {
        KFCrossPlatformImage(premultipliedRGBA: pixels(time: time), width: width, height: height)
    }

    /// Premultiplied RGBA rows.
    func pixels(time: Double) -> Data {
        let landscape = Landscape(number: number, time: time)
        let ratio = Double(width) / Double(height)
        var data = Data(count: width * height * 4)
        data.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            for column in 0..<width {
                let x = Double(column) / Double(width) * ratio
                let outlines = landscape.outlines(at: x)
                for row in 0..<height {
                    let y = Double(row) / Double(height)
                    let color = landscape.color(x: x, y: y, ratio: ratio, outlines: outlines)
                    let start = (row * width + column) * 4
                    bytes[start] = Self.byte(color.red)
                    bytes[start + 1] = Self.byte(color.green)
                    bytes[start + 2] = Self.byte(color.blue)
                    bytes[start + 3] = 255
                }
            }
        }
        return data
    }

    private static func byte(_ channel: Double) -> UInt8 { UInt8(min(1, max(0, channel)) * 255) }
}
