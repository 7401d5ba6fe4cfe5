import Foundation
import KFPixels

/// A generator with a fixed sequence, so that every run uses the same bitmaps.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        // SplitMix64 (Steele, Lea, Flood 2014).
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// Bitmaps computed from formulas.
enum TestPictures {
    static func size(_ width: Int, _ height: Int) -> PixelSize {
        PixelSize(width: width, height: height)
    }

    /// A bitmap from a function of the position; colours are premultiplied here.
    static func make(
        _ width: Int,
        _ height: Int,
        isOpaque: Bool = false,
        padding: Int = 0,
        _ colour: (_ x: Int, _ y: Int) -> RGBA
    ) throws -> Bitmap {
        let bytesPerRow = width * 4 + padding
        let storage = try PixelStorage(byteCount: bytesPerRow * height)
        for y in 0..<height {
            let row = storage.base + y * bytesPerRow
            for x in 0..<width {
                let pixel = colour(x, y).premultiplied
                row.storeBytes(of: pixel.red, toByteOffset: x * 4, as: UInt8.self)
                row.storeBytes(of: pixel.green, toByteOffset: x * 4 + 1, as: UInt8.self)
                row.storeBytes(of: pixel.blue, toByteOffset: x * 4 + 2, as: UInt8.self)
                row.storeBytes(of: pixel.alpha, toByteOffset: x * 4 + 3, as: UInt8.self)
            }
        }
        return Bitmap(
            size: size(width, height),
            bytesPerRow: bytesPerRow,
            isOpaque: isOpaque,
            storage: storage
        )
    }

    static func constant(_ colour: RGBA, _ width: Int, _ height: Int) throws -> Bitmap {
        try make(width, height, isOpaque: colour.alpha == 255) { _, _ in colour }
    }

    /// Resembles a photograph: gradients, a hard edge, fine texture.
    static func photo(_ width: Int, _ height: Int, seed: UInt64 = 1) throws -> Bitmap {
        var generator = SeededGenerator(seed: seed)
        return try make(width, height, isOpaque: true) { x, y in
            let noise = Int(generator.next() & 15)
            let edge = (x * 3 + y * 2) % 97 < 40 ? 60 : 0
            return RGBA(
                red: UInt8(min(255, x * 180 / width + edge + noise)),
                green: UInt8(min(255, y * 180 / height + edge / 2 + noise)),
                blue: UInt8(min(255, (x + y) * 120 / (width + height) + 40 + noise))
            )
        }
    }

    /// Independent random pixels of any alpha.
    static func noise(_ width: Int, _ height: Int, seed: UInt64 = 1) throws -> Bitmap {
        var generator = SeededGenerator(seed: seed)
        return try make(width, height) { _, _ in
            let bits = generator.next()
            return RGBA(
                red: UInt8(truncatingIfNeeded: bits),
                green: UInt8(truncatingIfNeeded: bits >> 8),
                blue: UInt8(truncatingIfNeeded: bits >> 16),
                alpha: UInt8(truncatingIfNeeded: bits >> 24)
            )
        }
    }

    /// Every channel of every pixel, without row padding.
    static func channels(_ bitmap: Bitmap) -> [Double] {
        bitmap.withPixels { pixels, bytesPerRow in
            (0..<bitmap.height).flatMap { y in
                (0..<(bitmap.width * 4)).map { Double(pixels[y * bytesPerRow + $0]) }
            }
        }
    }

    /// The largest difference of any channel.
    static func largestDifference(_ one: Bitmap, _ other: Bitmap) -> Double {
        guard one.size == other.size else { return .infinity }
        return zip(channels(one), channels(other)).lazy.map { abs($0 - $1) }.max() ?? 0
    }

    /// The peak signal-to-noise ratio in dB against reference values of 0…255.
    static func psnr(_ bitmap: Bitmap, _ reference: [Double]) -> Double {
        let values = channels(bitmap)
        guard values.count == reference.count else { return -.infinity }
        let squares = zip(values, reference).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        return 10 * log10(255 * 255 / max(squares / Double(values.count), 1e-9))
    }
}
