/// An imaginary place and its light, from which a photograph-like image is painted.
///
/// A sky with sun and clouds, ridges of which each is hazier than the next nearer one, water that
/// mirrors them, and the grain of a sensor. Like photographs, these images have fine detail, which
/// is hard for codecs.
struct Landscape {
    /// A chain of hills across the image.
    struct Ridge {
        /// The height of its foot, from 0 (top of the image) to 1.
        var base: Float
        /// Its rise above the foot, as a fraction of the image's height.
        var rise: Float
        /// The approximate number of peaks across the image.
        var peaks: Float
        /// 1 for dunes; 6 for rock.
        var octaves: Int
        var lit: SIMD3<Float>
        var shadow: SIMD3<Float>
    }

    var seed: UInt32
    var skyTop: SIMD3<Float>
    var skyHorizon: SIMD3<Float>
    /// The position of the sun or moon in fractions of width and height.
    var sun: SIMD2<Float>
    var sunColour: SIMD3<Float>
    /// The spread of its light as a fraction of the height.
    var glow: Float
    /// The share of clouds in the sky, 0…1.
    var clouds: Float
    var cloudColour: SIMD3<Float>
    /// From far to near.
    var ridges: [Ridge]
    /// The height at which water begins, 0…1; 1 for no water.
    var waterline: Float = 1
    var hasStars = false

    /// Paints the place.
    ///
    /// Costs about 0.2 µs per pixel.
    func painted(width: Int, height: Int) -> Canvas {
        let painter = LandscapePainter(self, width: width, height: height)
        var canvas = Canvas(width: width, height: height)
        canvas.paint { x, y in painter.colour(x: x, y: y) }
        return canvas
    }
}

/// A landscape with values that are computed once for all pixels.
private struct LandscapePainter {
    let place: Landscape
    let noise: Noise
    let width: Float
    let height: Float
    /// For every ridge, the row of its upper edge by column.
    let crests: [[Float]]

    init(_ place: Landscape, width: Int, height: Int) {
        self.place = place
        self.width = Float(width)
        self.height = Float(height)
        noise = Noise(seed: place.seed)
        let noise = noise
        crests = place.ridges.enumerated().map { number, ridge in
            (0..<width).map { column in
                let x = Float(column) / Float(width) * ridge.peaks + Float(number) * 31.7
                let rise = noise.fractal(x, Float(number) * 7.3, octaves: ridge.octaves + 2)
                return (ridge.base - (rise * 1.6 - 0.4) * ridge.rise) * Float(height)
            }
        }
    }

    func colour(x: Int, y: Int) -> SIMD3<Float> {
        let waterline = place.waterline * height
        let row = Float(y)
        var colour: SIMD3<Float>
        if row < waterline {
            colour = land(x: Float(x), y: row)
        } else {
            // Ripples become larger towards the viewer.
            let depth = row - waterline
            let wave = noise.fractal(Float(x) * 0.008, row * 24 / (depth + 40), octaves: 3) - 0.5
            let mirrored = max(0, waterline - depth * 0.9 + wave * depth * 0.25)
            let shifted = min(width - 1, max(0, Float(x) + wave * depth * 0.12))
            let below = land(x: shifted, y: mirrored)
            colour = below * (0.78 - 0.25 * depth / height) + place.skyTop * 0.08
        }
        let grain = noise.lattice(Int32(x) &+ 7919, Int32(y) &+ 104_729) - 0.5
        return colour + SIMD3(repeating: grain * 0.035)
    }

    private func land(x: Float, y: Float) -> SIMD3<Float> {
        let column = Int(x)
        var nearest: Int?
        for index in crests.indices where y >= crests[index][column] { nearest = index }
        guard let nearest else { return sky(x: x, y: y) }
        return ground(place.ridges[nearest], number: nearest, x: x, y: y)
    }

    private func ground(
        _ ridge: Landscape.Ridge,
        number: Int,
        x: Float,
        y: Float
    ) -> SIMD3<Float> {
        let below = (y - crests[number][Int(x)]) / height
        let scale = ridge.peaks * 3 / width
        let (u, v) = (x * scale + Float(number) * 13, y * scale * 1.5)
        // Light comes from the sun's side: slopes that rise away from it are in the shade.
        let here = noise.fractal(u, v, octaves: ridge.octaves)
        let side = min(0.08, max(-0.08, (place.sun.x - x / width) * 0.3))
        let there = noise.fractal(u + side, v - 0.03, octaves: ridge.octaves)
        let slope = clamped(0.5 + (here - there) * 5)
        let rock = mix(ridge.shadow, ridge.lit, slope * (0.55 + 0.45 * here))
        // Haze lies in the valleys and increases with distance.
        let distance = 1 - Float(number + 1) / Float(place.ridges.count + 1)
        let haze = clamped(distance * (0.25 + below * 2.2))
        return mix(rock, place.skyHorizon, haze)
    }

    private func sky(x: Float, y: Float) -> SIMD3<Float> {
        let (u, v) = (x / width, y / height)
        var colour = mix(place.skyTop, place.skyHorizon, smoothStep(0, 0.62, v))
        let across = (u - place.sun.x) * width / height
        let distance = (across * across + (v - place.sun.y) * (v - place.sun.y)).squareRoot()
        let light = 1 / (1 + distance * distance / (place.glow * place.glow))
        colour = mix(colour, place.sunColour, clamped(light * light))
        if place.hasStars { colour += stars(x: x, y: y, light: light) }
        let disc = smoothStep(0.034, 0.029, distance)
        colour = mix(colour, place.sunColour * 1.15, disc)

        guard place.clouds > 0 else { return colour }
        let cloud = noise.fractal(u * 4, v * 11, octaves: 6)
        let cover = smoothStep(1 - place.clouds, 1.25 - place.clouds, cloud)
        let lit = mix(place.cloudColour, place.sunColour, light * 0.8)
        return mix(colour, lit, cover * 0.85)
    }

    private func stars(x: Float, y: Float, light: Float) -> SIMD3<Float> {
        // One star in about 1,600 cells of 2 × 2 pixels.
        let spark = noise.lattice(Int32(x / 2) &+ 51, Int32(y / 2) &- 23)
        guard spark > 0.9994 else { return .zero }
        let brightness = (spark - 0.9994) * 1600 * (1 - clamped(light))
        return SIMD3(repeating: clamped(brightness))
    }
}
