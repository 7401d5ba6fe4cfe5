import Foundation
import Kingfisher

/// A generated image, equal on every machine, for use without photographs.
enum Terrain {
    /// Writes twelve megapixels as PNG.
    static func write(to file: URL) throws {
        let (width, height) = (4000, 3000)
        let pixels = terrain(width: width, height: height)
        let image = KFCrossPlatformImage(premultipliedRGBA: pixels, width: width, height: height)
        guard let data = image?.kf.pngRepresentation() else {
            throw BenchmarkError("the image cannot be made")
        }
        try data.write(to: file, options: .atomic)
    }

    /// Opaque pixels that are as hard to encode as a photograph: smooth areas, edges and grain.
    private static func terrain(width: Int, height: Int) -> Data {
        var pixels = Data(count: width * height * 4)
        pixels.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            var offset = 0
            for y in 0..<height {
                for x in 0..<width {
                    let (u, v) = (Float(x) / 400, Float(y) / 400)
                    var height: Float = 0
                    var strength: Float = 0.5
                    var scale: Float = 1
                    for octave in 0..<7 {
                        height += noise(u * scale, v * scale, UInt32(octave)) * strength
                        strength *= 0.55
                        scale *= 2
                    }
                    let grain = hash(Int32(x), Int32(y), 99) * 12
                    bytes[offset] = UInt8(min(255, max(0, height * 235 + grain)))
                    bytes[offset + 1] = UInt8(min(255, max(0, height * 190 + 20 + grain)))
                    bytes[offset + 2] = UInt8(min(255, max(0, 210 - height * 170 + grain)))
                    bytes[offset + 3] = 255
                    offset += 4
                }
            }
        }
        return pixels
    }

    /// Value noise, 0…1.
    private static func noise(_ x: Float, _ y: Float, _ seed: UInt32) -> Float {
        let (left, top) = (x.rounded(.down), y.rounded(.down))
        let (column, row) = (Int32(left), Int32(top))
        let (dx, dy) = (x - left, y - top)
        let (sx, sy) = (dx * dx * (3 - 2 * dx), dy * dy * (3 - 2 * dy))
        let upper = hash(column, row, seed) * (1 - sx) + hash(column + 1, row, seed) * sx
        let lower = hash(column, row + 1, seed) * (1 - sx) + hash(column + 1, row + 1, seed) * sx
        return upper * (1 - sy) + lower * sy
    }

    private static func hash(_ x: Int32, _ y: Int32, _ seed: UInt32) -> Float {
        var hash = UInt32(bitPattern: x) &* 0x27D4_EB2D
        hash ^= UInt32(bitPattern: y) &* 0x1656_67B1
        hash ^= seed &* 0x9E37_79B9
        hash ^= hash >> 15
        hash &*= 0x85EB_CA6B
        hash ^= hash >> 13
        hash &*= 0xC2B2_AE35
        hash ^= hash >> 16
        return Float(hash >> 8) * (1 / 16_777_216)
    }
}
