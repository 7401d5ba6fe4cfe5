package import Foundation
package import Kingfisher

/// A bitmap to paint on: premultiplied RGBA, 8 bits per channel, initially transparent.
package struct Canvas {
    package let width: Int
    package let height: Int
    package private(set) var pixels: Data

    package init(width: Int, height: Int) {
        precondition(width > 0 && height > 0, "a canvas has pixels")
        self.width = width
        self.height = height
        pixels = Data(count: width * height * 4)
    }

    /// The canvas as an image; nil if the library cannot create one of that size.
    package var image: KFCrossPlatformImage? {
        KFCrossPlatformImage(premultipliedRGBA: pixels, width: width, height: height)
    }

    /// Sets every pixel.
    ///
    /// `shade` returns the colour of a pixel, 0…1 per channel.
    mutating func paint(_ shade: (_ x: Int, _ y: Int) -> SIMD3<Float>) {
        let (width, height) = (width, height)
        pixels.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            var offset = 0
            for y in 0..<height {
                for x in 0..<width {
                    let colour = shade(x, y)
                    bytes[offset] = Self.byte(colour.x)
                    bytes[offset + 1] = Self.byte(colour.y)
                    bytes[offset + 2] = Self.byte(colour.z)
                    bytes[offset + 3] = 255
                    offset += 4
                }
            }
        }
    }

    /// Composites a colour over the pixels of a rectangle.
    ///
    /// Pixels outside the canvas are ignored. `coverage` returns the covered share of a pixel, 0…1.
    mutating func cover(
        columns: Range<Int>,
        rows: Range<Int>,
        colour: (_ x: Float, _ y: Float) -> SIMD3<Float>,
        coverage: (_ x: Float, _ y: Float) -> Float
    ) {
        let columns = columns.clamped(to: 0..<width)
        let rows = rows.clamped(to: 0..<height)
        let width = width
        pixels.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            for row in rows {
                for column in columns {
                    let (x, y) = (Float(column) + 0.5, Float(row) + 0.5)
                    let alpha = min(1, max(0, coverage(x, y)))
                    guard alpha > 0 else { continue }
                    let colour = colour(x, y)
                    let offset = (row * width + column) * 4
                    Self.blend(colour.x, alpha, into: &bytes[offset])
                    Self.blend(colour.y, alpha, into: &bytes[offset + 1])
                    Self.blend(colour.z, alpha, into: &bytes[offset + 2])
                    Self.blend(1, alpha, into: &bytes[offset + 3])
                }
            }
        }
    }

    /// Fills a rectangle with one opaque colour.
    package mutating func fill(columns: Range<Int>, rows: Range<Int>, _ colour: SIMD3<Float>) {
        cover(columns: columns, rows: rows, colour: { _, _ in colour }, coverage: { _, _ in 1 })
    }

    /// Composites an image over the canvas, with its top left corner at a pixel.
    package mutating func draw(_ image: KFCrossPlatformImage, x left: Int, y top: Int) {
        let (width, height) = (width, height)
        image.withPremultipliedRGBA { source, bytesPerRow in
            pixels.withUnsafeMutableBytes { (target: UnsafeMutableRawBufferPointer) in
                for row in 0..<image.pixelHeight where (0..<height).contains(top + row) {
                    for column in 0..<image.pixelWidth where (0..<width).contains(left + column) {
                        let from = row * bytesPerRow + column * 4
                        let to = ((top + row) * width + left + column) * 4
                        let rest = 255 - Int(source[from + 3])
                        for channel in 0..<4 {
                            let below = (Int(target[to + channel]) * rest + 127) / 255
                            target[to + channel] = UInt8(
                                min(255, Int(source[from + channel]) + below)
                            )
                        }
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func blend(_ colour: Float, _ alpha: Float, into byte: inout UInt8) {
        byte = Self.byte(colour * alpha + Float(byte) * (1 / 255) * (1 - alpha))
    }

    @inline(__always)
    private static func byte(_ value: Float) -> UInt8 {
        UInt8(min(255, max(0, value * 255 + 0.5)))
    }
}
