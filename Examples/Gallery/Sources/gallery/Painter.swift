import Foundation
import Kingfisher

/// Paints a landscape for each number, always the same one.
nonisolated struct Painter {
    let number: Int
    let width: Int
    let height: Int

    /// The landscape as a JPEG.
    func jpeg() -> Data? { image()?.kf.jpegRepresentation(compressionQuality: 0.85) }

    /// The landscape at a time of 0…1, one full day.
    func image(time: Double = 0.3) -> KFCrossPlatformImage? {
        KFCrossPlatformImage(premultipliedRGBA: pixels(time: time), width: width, height: height)
    }

    /// Premultiplied RGBA rows.
    func pixels(time: Double) -> Data {
        var random = SplitMix(seed: UInt64(number) &* 7_919 &+ 11)
        let hue = random.next()
        let sunX = 0.15 + 0.7 * random.next()
        let sunY = 0.18 + 0.25 * random.next() + 0.12 * cos(time * 2 * .pi)
        let sunSize = 0.05 + 0.07 * random.next()
        let hills = (0..<4).map { Hill(layer: Double($0), time: time, random: &random) }
        let sky = (
            Color(hue: hue, saturation: 0.55, value: 0.98),
            Color(hue: hue + 0.12, saturation: 0.35, value: 1)
        )
        let ground = (0..<4).map {
            Color(
                hue: hue + 0.45 + 0.03 * Double($0),
                saturation: 0.35 + 0.1 * Double($0),
                value: 0.82 - 0.17 * Double($0)
            )
        }
        let ratio = Double(width) / Double(height)
        var data = Data(count: width * height * 4)
        data.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            for x in 0..<width {
                let across = Double(x) / Double(width)
                let tops = hills.map { $0.top(at: across) }
                for y in 0..<height {
                    let down = Double(y) / Double(height)
                    var color = sky.0.mixed(with: sky.1, by: down * 1.6)
                    let dx = (across - sunX) * ratio
                    let distance = (dx * dx + (down - sunY) * (down - sunY)).squareRoot()
                    let glow = min(1, max(0, (sunSize - distance) * Double(height) / 2 + 0.5))
                    color = color.mixed(with: Color(red: 1, green: 0.97, blue: 0.86), by: glow)
                    for (layer, top) in tops.enumerated() {
                        let cover = min(1, max(0, (down - top) * Double(height) + 0.5))
                        color = color.mixed(with: ground[layer], by: cover)
                    }
                    let start = (y * width + x) * 4
                    bytes[start] = UInt8(color.red * 255)
                    bytes[start + 1] = UInt8(color.green * 255)
                    bytes[start + 2] = UInt8(color.blue * 255)
                    bytes[start + 3] = 255
                }
            }
        }
        return data
    }
}

/// The outline of a range of hills.
nonisolated private struct Hill {
    let level: Double
    let waves: [Wave]

    /// One sine of the outline.
    struct Wave {
        let height: Double
        let length: Double
        let shift: Double
    }

    init(layer: Double, time: Double, random: inout SplitMix) {
        level = 0.5 + 0.13 * layer
        waves = [1.0, 2, 3].map { (order: Double) -> Wave in
            let height: Double = 0.11 * random.next() / order
            let length: Double = (1.2 + 2.4 * random.next()) * order
            let shift: Double = random.next() + time * 0.06 * layer
            return Wave(height: height, length: length, shift: shift)
        }
    }

    func top(at x: Double) -> Double {
        waves.reduce(level) { $0 + $1.height * sin((x * $1.length + $1.shift) * 2 * .pi) }
    }
}

/// A colour with channels of 0…1.
nonisolated struct Color {
    var red: Double
    var green: Double
    var blue: Double

    init(red: Double, green: Double, blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    init(hue: Double, saturation: Double, value: Double) {
        func channel(_ offset: Double) -> Double {
            let k = (offset + hue * 6).truncatingRemainder(dividingBy: 6)
            return value - value * saturation * max(0, min(1, min(k, 4 - k)))
        }
        self.init(red: channel(5), green: channel(3), blue: channel(1))
    }

    func mixed(with other: Color, by share: Double) -> Color {
        let share = min(1, max(0, share))
        return Color(
            red: red + (other.red - red) * share,
            green: green + (other.green - green) * share,
            blue: blue + (other.blue - blue) * share
        )
    }
}

/// A deterministic random number generator.
///
/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
nonisolated private struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The next number, 0..<1.
    mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
    }
}
