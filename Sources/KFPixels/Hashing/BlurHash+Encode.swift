extension BlurHash {
    /// Hashes a bitmap, scaled down to at most 64 × 64 pixels first.
    ///
    /// Transparency counts as black.
    ///
    /// - Parameters:
    ///   - source: Any size.
    ///   - columns: Horizontal cosines, clamped to 1…9.
    ///   - rows: Vertical cosines, clamped to 1…9.
    /// - Throws: ``PixelError/outOfMemory(bytes:)``.
    package init(_ source: Bitmap, columns: Int = 4, rows: Int = 3) throws(PixelError) {
        let columns = max(1, min(9, columns))
        let rows = max(1, min(9, rows))
        let factors = Self.factors(of: try reducedForStatistics(source), columns, rows)
        var digits = [columns - 1 + (rows - 1) * 9]
        let largest = factors.dropFirst().reduce(0) { most, factor in
            max(most, abs(factor.x), abs(factor.y), abs(factor.z))
        }
        let level = max(0, min(82, Int((largest * 166 - 0.5).rounded(.down))))
        digits.append(factors.count > 1 ? level : 0)
        let average = factors[0]
        let colour =
            Int(LinearLight.byte(average.x)) << 16 | Int(LinearLight.byte(average.y)) << 8
            | Int(LinearLight.byte(average.z))
        digits += Base83.digits(colour, count: 4)
        let scale = Double(level + 1) / 166
        for factor in factors.dropFirst() {
            let parts = [factor.x, factor.y, factor.z].map { Self.level($0 / scale) }
            digits += Base83.digits((parts[0] * 19 + parts[1]) * 19 + parts[2], count: 2)
        }
        self.init(digits: digits, columns: columns, rows: rows)
    }

    /// One of nineteen levels, finer near zero.
    private static func level(_ value: Double) -> Int {
        let root = value < 0 ? -(-value).squareRoot() : value.squareRoot()
        return max(0, min(18, Int((root * 9 + 9.5).rounded(.down))))
    }

    private static func factors(
        of picture: Bitmap,
        _ columns: Int,
        _ rows: Int
    ) -> [SIMD3<Double>] {
        let across = CosineTransform.table(count: columns, length: picture.width, shift: 0)
        let down = CosineTransform.table(count: rows, length: picture.height, shift: 0)
        var sums = [SIMD3<Double>](repeating: SIMD3(repeating: 0), count: columns * rows)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let pixel = picture[x, y]
                let light = SIMD3(
                    LinearLight.value(of: pixel.red),
                    LinearLight.value(of: pixel.green),
                    LinearLight.value(of: pixel.blue)
                )
                for v in 0..<rows {
                    for u in 0..<columns {
                        let wave = across[x * columns + u] * down[y * rows + v]
                        sums[v * columns + u] += light * wave
                    }
                }
            }
        }
        let count = Double(picture.width * picture.height)
        return sums.enumerated().map { $1 * (($0 == 0 ? 1 : 2) / count) }
    }
}
