import Foundation

/// A landscape in natural light: sky, clouds, a sun, ridges in haze, and a lake or a meadow.
///
/// Each number is another one, the same each time. Rows are painted from top to bottom.
nonisolated struct Landscape {
    private let light: Light
    private let noise: Noise
    private let sun: (x: Double, y: Double)
    private let ridges: [Ridge]
    /// Where the ground begins, 0 (top) … 1.
    private let shore: Double
    private let hasLake: Bool
    private let cloudiness: Double
    private let drift: Double

    /// Makes a landscape at a time of its day, 0…1; the light and the clouds change with it.
    init(number: Int, time: Double) {
        var random = SplitMix(seed: UInt64(number) &* 7_919 &+ 11)
        noise = Noise(seed: UInt32(truncatingIfNeeded: number &* 2_654_435 &+ 97))
        light = Light.all[Int(random.next() * Double(Light.all.count))]
        shore = 0.7 + 0.14 * random.next()
        hasLake = random.next() < 0.55
        cloudiness = 0.2 + 0.8 * random.next()
        let height = 0.5 + 0.5 * random.next()
        sun = (
            x: 0.12 + 0.76 * random.next(),
            y: 0.16 + 0.26 * light.sunDepth + 0.05 * cos(time * 2 * .pi)
        )
        drift = time * 0.35
        let base = shore
        ridges = (0..<4).map { layer in
            let depth = Double(layer) / 3
            return Ridge(
                level: base - (0.3 - 0.27 * depth) * height,
                relief: (0.34 - 0.26 * depth) * height,
                detail: 0.9 + 1.9 * depth + 0.6 * random.next(),
                shift: random.next() * 90,
                haze: 0.78 - 0.7 * depth
            )
        }
    }

    /// The height of each ridge's outline in a column, 0 (top) … 1.
    func outlines(at x: Double) -> [Double] { ridges.map { $0.top(at: x, noise) } }

    /// The colour of a point; `x` grows to the ratio of the sides, `y` to 1.
    func color(x: Double, y: Double, ratio: Double, outlines: [Double]) -> RGB {
        let isReflected = hasLake && y > shore
        // Water mirrors what is above it, squeezed, and ripples more towards the viewer.
        let depth = isReflected ? (y - shore) / (1 - shore) : 0
        let ripple = isReflected ? (noise.value(x * 30, y * 260) - 0.5) * 0.05 * (0.2 + depth) : 0
        let height = isReflected ? min(shore, shore - (y - shore) * 1.25 + ripple * 1.5) : y
        // The nearest ridge hides those behind it.
        var color: RGB
        if let nearest = outlines.lastIndex(where: { $0 < height }) {
            color = ridgeColor(ridges[nearest], x: x, y: height, below: height - outlines[nearest])
        } else {
            color = sky(x: x + ripple, y: height, ratio: ratio)
        }
        if !hasLake, y > shore { color = meadow(x: x, y: y, over: color) }
        if isReflected {
            let glint = max(0, ripple * 14) * (1 - depth)
            color = color.mixed(with: light.water, by: 0.22 + 0.3 * depth)
                .mixed(with: light.sunColor, by: glint * 0.35)
        }
        return graded(color, x: x / ratio, y: y)
    }

    private func sky(x: Double, y: Double, ratio: Double) -> RGB {
        let down = max(0, min(1, y / shore))
        var color = light.zenith.mixed(with: light.horizon, by: pow(down, 1.4))
        let dx = x - sun.x * ratio
        let dy = y - sun.y
        let distance = (dx * dx + dy * dy).squareRoot()
        color = color.mixed(
            with: light.sunColor,
            by: (light.showsSun ? 0.75 : 0.35) * exp(-distance * (light.showsSun ? 5 : 2.5))
        )
        let density = noise.fractal(x * 1.5 + drift, y * 4.2 + 7, octaves: 4)
        let cover = smooth(0.66 - 0.2 * cloudiness, 0.92, density + 0.1 * down)
        let lit = light.cloud.mixed(with: light.sunColor, by: 0.5 * exp(-distance * 2.2))
        color = color.mixed(with: lit, by: cover * 0.85)
        let disc = light.showsSun ? smooth(0.03, 0.02, distance) : 0
        return color.mixed(with: RGB(1, 0.98, 0.92), by: disc * (1 - cover * 0.8))
    }

    private func ridgeColor(_ ridge: Ridge, x: Double, y: Double, below: Double) -> RGB {
        // Slopes that face the sun are lighter: the difference of the noise along its direction.
        let side = sun.x * 1.3 > x ? 0.02 : -0.02
        let scale = 4.5 * ridge.detail
        let here = noise.fractal(x * scale + ridge.shift, y * scale * 1.6, octaves: 4)
        let there = noise.fractal(
            (x + side) * scale + ridge.shift,
            (y - 0.02) * scale * 1.6,
            octaves: 4
        )
        let slope = max(-0.5, min(0.5, (here - there) * 2))
        var color = light.rock.mixed(
            with: light.wood,
            by: smooth(0.02, 0.16, below + 0.1 * (here - 0.5))
        )
        color = color.scaled(by: 0.85 + 0.7 * slope)
        // Air lies between the viewer and the ridge, most in the valleys.
        return color.mixed(with: light.haze, by: min(0.94, ridge.haze * (0.75 + 1.2 * below)))
    }

    private func meadow(x: Double, y: Double, over color: RGB) -> RGB {
        let depth = (y - shore) / (1 - shore)
        let blades = noise.fractal(x * (26 - 14 * depth), y * (120 - 70 * depth), octaves: 3)
        let patches = noise.fractal(x * 3, y * 9, octaves: 3)
        let ground = light.wood.mixed(with: light.meadow, by: 0.3 + 0.9 * patches)
            .scaled(by: 0.55 + 0.75 * blades)
        return color.mixed(with: ground, by: smooth(0, 0.06, depth + 0.05 * blades))
    }

    /// Darkens the corners and adds grain, as a camera does.
    private func graded(_ color: RGB, x: Double, y: Double) -> RGB {
        let fall = (x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)
        let grain = (noise.grain(x, y) - 0.5) * 0.024
        return color.scaled(by: 1.03 - 0.34 * fall).shifted(by: grain)
    }
}

/// An outline of mountains.
nonisolated private struct Ridge {
    let level: Double
    let relief: Double
    let detail: Double
    let shift: Double
    /// How much air lies before it, 0…1.
    let haze: Double

    func top(at x: Double, _ noise: Noise) -> Double {
        // Folding the noise at its middle gives peaks instead of hills.
        let folded = 1 - abs(noise.fractal(x * detail + shift, 3.7, octaves: 6) * 2 - 1)
        return level + relief * (0.75 - folded * 1.35)
    }
}

/// The colours of an hour of the day.
nonisolated private struct Light {
    let zenith: RGB, horizon: RGB, sunColor: RGB, cloud: RGB
    let haze: RGB, rock: RGB, wood: RGB, meadow: RGB, water: RGB
    /// How low the sun stands, 0…1.
    let sunDepth: Double
    /// Whether the sun is in the image, not above it.
    var showsSun: Bool { sunDepth > 0.7 }

    static let all = [
        // Noon.
        Light(
            zenith: RGB(0.16, 0.38, 0.68),
            horizon: RGB(0.72, 0.84, 0.93),
            sunColor: RGB(1, 0.98, 0.9),
            cloud: RGB(0.97, 0.97, 0.98),
            haze: RGB(0.62, 0.74, 0.86),
            rock: RGB(0.4, 0.39, 0.38),
            wood: RGB(0.16, 0.25, 0.13),
            meadow: RGB(0.42, 0.5, 0.2),
            water: RGB(0.1, 0.28, 0.4),
            sunDepth: 0.1
        ),
        // Golden hour.
        Light(
            zenith: RGB(0.25, 0.37, 0.56),
            horizon: RGB(0.98, 0.76, 0.5),
            sunColor: RGB(1, 0.83, 0.5),
            cloud: RGB(0.98, 0.8, 0.66),
            haze: RGB(0.87, 0.67, 0.5),
            rock: RGB(0.42, 0.32, 0.26),
            wood: RGB(0.22, 0.21, 0.1),
            meadow: RGB(0.58, 0.45, 0.16),
            water: RGB(0.24, 0.28, 0.36),
            sunDepth: 0.75
        ),
        // Dawn, with mist.
        Light(
            zenith: RGB(0.45, 0.53, 0.68),
            horizon: RGB(0.95, 0.84, 0.8),
            sunColor: RGB(1, 0.9, 0.78),
            cloud: RGB(0.93, 0.85, 0.85),
            haze: RGB(0.8, 0.78, 0.83),
            rock: RGB(0.36, 0.36, 0.42),
            wood: RGB(0.15, 0.21, 0.2),
            meadow: RGB(0.34, 0.4, 0.27),
            water: RGB(0.34, 0.4, 0.5),
            sunDepth: 0.85
        ),
        // Overcast.
        Light(
            zenith: RGB(0.44, 0.53, 0.63),
            horizon: RGB(0.84, 0.86, 0.88),
            sunColor: RGB(0.95, 0.95, 0.93),
            cloud: RGB(0.76, 0.78, 0.8),
            haze: RGB(0.72, 0.76, 0.79),
            rock: RGB(0.3, 0.31, 0.31),
            wood: RGB(0.1, 0.2, 0.1),
            meadow: RGB(0.3, 0.4, 0.17),
            water: RGB(0.24, 0.32, 0.36),
            sunDepth: 0.3
        ),
        // Dusk.
        Light(
            zenith: RGB(0.13, 0.16, 0.33),
            horizon: RGB(0.87, 0.48, 0.4),
            sunColor: RGB(1, 0.62, 0.36),
            cloud: RGB(0.66, 0.42, 0.5),
            haze: RGB(0.48, 0.34, 0.44),
            rock: RGB(0.2, 0.17, 0.23),
            wood: RGB(0.08, 0.09, 0.12),
            meadow: RGB(0.17, 0.15, 0.15),
            water: RGB(0.13, 0.14, 0.28),
            sunDepth: 1
        ),
        // Autumn afternoon.
        Light(
            zenith: RGB(0.24, 0.45, 0.69),
            horizon: RGB(0.86, 0.87, 0.84),
            sunColor: RGB(1, 0.95, 0.82),
            cloud: RGB(0.96, 0.95, 0.93),
            haze: RGB(0.72, 0.76, 0.79),
            rock: RGB(0.42, 0.37, 0.32),
            wood: RGB(0.4, 0.25, 0.09),
            meadow: RGB(0.6, 0.47, 0.18),
            water: RGB(0.14, 0.3, 0.4),
            sunDepth: 0.45
        ),
    ]
}

/// Smooth noise on a grid of random values, after Perlin, "An Image Synthesizer" (1985).
nonisolated private struct Noise {
    let seed: UInt32

    /// A random value of a grid point, 0…1.
    private func random(_ x: Int32, _ y: Int32) -> Double {
        var hash =
            UInt32(bitPattern: x) &* 0x9E37_79B1 ^ UInt32(bitPattern: y) &* 0x85EB_CA77 ^ seed
        hash = (hash ^ (hash >> 15)) &* 0x2C1B_3C6D
        hash = (hash ^ (hash >> 12)) &* 0x297A_2D39
        return Double(hash ^ (hash >> 15)) / Double(UInt32.max)
    }

    /// A value between grid points, 0…1.
    func value(_ x: Double, _ y: Double) -> Double {
        let left = x.rounded(.down)
        let top = y.rounded(.down)
        let column = Int32(left)
        let row = Int32(top)
        let across = eased(x - left)
        let down = eased(y - top)
        let upper = random(column, row) * (1 - across) + random(column + 1, row) * across
        let lower = random(column, row + 1) * (1 - across) + random(column + 1, row + 1) * across
        return upper * (1 - down) + lower * down
    }

    /// Several scales of the noise on top of each other, 0…1.
    func fractal(_ x: Double, _ y: Double, octaves: Int) -> Double {
        var sum = 0.0
        var weight = 0.5
        var scale = 1.0
        for _ in 0..<octaves {
            sum += value(x * scale, y * scale) * weight
            weight *= 0.5
            scale *= 2.03
        }
        return sum
    }

    /// A value of its own for each pixel.
    func grain(_ x: Double, _ y: Double) -> Double { random(Int32(x * 8_191), Int32(y * 8_191)) }

    private func eased(_ share: Double) -> Double { share * share * (3 - 2 * share) }
}

/// A colour, each channel 0…1.
nonisolated struct RGB {
    var red: Double
    var green: Double
    var blue: Double

    init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    func mixed(with other: RGB, by share: Double) -> RGB {
        let share = min(1, max(0, share))
        return RGB(
            red + (other.red - red) * share,
            green + (other.green - green) * share,
            blue + (other.blue - blue) * share
        )
    }

    func scaled(by factor: Double) -> RGB { RGB(red * factor, green * factor, blue * factor) }

    func shifted(by amount: Double) -> RGB { RGB(red + amount, green + amount, blue + amount) }
}

/// 0 below `low`, 1 above `high`, smooth between; the other way round if `low` is the larger.
nonisolated private func smooth(_ low: Double, _ high: Double, _ value: Double) -> Double {
    let share = min(1, max(0, (value - low) / (high - low)))
    return share * share * (3 - 2 * share)
}

/// A generator of numbers that gives the same ones for the same seed.
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
