extension ThumbHash {
    /// Hashes a bitmap, scaled down to at most 100 × 100 pixels first.
    ///
    /// - Throws: ``PixelError/outOfMemory(bytes:)``.
    package init(_ source: Bitmap) throws(PixelError) {
        let size = source.size.fitted(inside: PixelSize(width: 100, height: 100))
        let planes = Planes(try resample(source, to: size))
        let limit = planes.hasAlpha ? 5.0 : 7.0
        let longest = Double(size.longestSide)
        let width = max(1, Self.round(limit * Double(size.width) / longest))
        let height = max(1, Self.round(limit * Double(size.height) / longest))
        let luma = Spectrum(planes.luma, size, max(3, width), max(3, height))
        let yellow = Spectrum(planes.yellow, size, 3, 3)
        let red = Spectrum(planes.red, size, 3, 3)

        let isLandscape = size.width > size.height
        let low =
            Self.level(luma.constant, 63) | Self.level((yellow.constant + 1) / 2, 63) << 6
            | Self.level((red.constant + 1) / 2, 63) << 12 | Self.level(luma.scale, 31) << 18
            | (planes.hasAlpha ? 1 << 23 : 0)
        let high =
            (isLandscape ? height : width) | Self.level(yellow.scale, 63) << 3
            | Self.level(red.scale, 63) << 9 | (isLandscape ? 1 << 15 : 0)
        var bytes = [low, low >> 8, low >> 16, high, high >> 8].map {
            UInt8(truncatingIfNeeded: $0)
        }
        var values = luma.values + yellow.values + red.values
        if planes.hasAlpha {
            let alpha = Spectrum(planes.alpha, size, 5, 5)
            let extra = Self.level(alpha.constant, 15) | Self.level(alpha.scale, 15) << 4
            bytes.append(UInt8(extra))
            values += alpha.values
        }
        for pair in stride(from: 0, to: values.count, by: 2) {
            let second = pair + 1 < values.count ? Self.level(values[pair + 1], 15) : 0
            bytes.append(UInt8(Self.level(values[pair], 15) | second << 4))
        }
        self.init(encoded: bytes)
    }

    /// Rounds halves up, as the reference implementation does.
    private static func round(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

    private static func level(_ value: Double, _ most: Int) -> Int {
        max(0, min(most, round(value * Double(most))))
    }

    /// Luma, yellow–blue, red–green and alpha, composited over the bitmap's average colour.
    private struct Planes {
        var luma: [Double] = []
        var yellow: [Double] = []
        var red: [Double] = []
        var alpha: [Double] = []
        let hasAlpha: Bool

        init(_ picture: Bitmap) {
            var pixels: [SIMD4<Double>] = []
            for y in 0..<picture.height {
                for x in 0..<picture.width {
                    let pixel = picture[x, y]
                    pixels.append(
                        SIMD4(
                            Double(pixel.red),
                            Double(pixel.green),
                            Double(pixel.blue),
                            Double(pixel.alpha)
                        ) / 255
                    )
                }
            }
            let sum = pixels.reduce(SIMD4(repeating: 0)) { $0 + $1 }
            let average = sum.w > 0 ? sum / sum.w : sum
            hasAlpha = sum.w < Double(pixels.count) - 1e-9
            for pixel in pixels {
                let seen = pixel + average * (1 - pixel.w)
                luma.append((seen.x + seen.y + seen.z) / 3)
                yellow.append((seen.x + seen.y) / 2 - seen.z)
                red.append(seen.x - seen.y)
                alpha.append(pixel.w)
            }
        }
    }

    /// One plane's lowest frequencies, scaled to 0…1.
    private struct Spectrum {
        var constant = 0.0
        var scale = 0.0
        var values: [Double] = []

        init(_ plane: [Double], _ size: PixelSize, _ width: Int, _ height: Int) {
            let across = CosineTransform.table(count: width, length: size.width, shift: 0.5)
            let down = CosineTransform.table(count: height, length: size.height, shift: 0.5)
            for v in 0..<height {
                for u in 0..<ThumbHash.frequencies(in: v, width, height) {
                    var sum = 0.0
                    for y in 0..<size.height {
                        var rowSum = 0.0
                        for x in 0..<size.width {
                            rowSum += plane[y * size.width + x] * across[x * width + u]
                        }
                        sum += rowSum * down[y * height + v]
                    }
                    sum /= Double(size.width * size.height)
                    if u == 0, v == 0 { constant = sum } else { values.append(sum) }
                }
            }
            scale = values.reduce(0) { max($0, abs($1)) }
            if scale > 0 { values = values.map { 0.5 + 0.5 / scale * $0 } }
        }
    }
}
