import Testing

@testable import KFPixels

/// The work of filters is bounded by the pixels that they read and write, whatever their parameters.
struct WorkBoundTests {
    private static let sides = [1, 2, 3, 62, 63, 64, 127, 128, 1000, 32_767, 65_535]

    @Test func `the first window of a box reads each row once, however large the box is`() {
        for rows in Self.sides {
            for radius in Self.sides + [1 << 20, .max] {
                #expect(BoxColumns.lead(radius: radius, last: rows - 1) < rows)
            }
        }
    }

    @Test(arguments: [(1, 1), (1, 5), (5, 1), (2, 3), (7, 70), (70, 7), (130, 3)])
    func `boxes larger than the bitmap average its extended edges`(
        _ width: Int,
        _ height: Int
    ) throws {
        let source = try TestPictures.noise(width, height)
        for size in [129, 131, 201, 1001] {
            for backend in [Convolution.Backend.twin, .portable] {
                let found = try boxBlur(source, size: size, passes: 1, backend: backend)
                let across = try Self.columns(source, size)
                let expected = try Self.columns(across, size)
                #expect(found == expected, "\(size)")
            }
        }
    }

    /// The mean of each window of a column, one pixel after the other; rows and columns exchanged.
    private static func columns(_ source: Bitmap, _ size: Int) throws -> Bitmap {
        let target = PixelSize(width: source.height, height: source.width)
        return try Bitmap(size: target, isOpaque: source.isOpaque) { out, stride in
            for x in 0..<source.width {
                for y in 0..<source.height {
                    var sums = SIMD4<Int>(repeating: size / 2)
                    for near in (y - size / 2)...(y + size / 2) {
                        let pixel = source[x, max(0, min(source.height - 1, near))]
                        sums &+= SIMD4(
                            Int(pixel.red),
                            Int(pixel.green),
                            Int(pixel.blue),
                            Int(pixel.alpha)
                        )
                    }
                    for channel in 0..<4 {
                        out[x * stride + y * 4 + channel] = UInt8(sums[channel] / size)
                    }
                }
            }
        }
    }

    @Test func `a long row is blurred by any radius`() throws {
        let row = try TestPictures.noise(65_535, 1)
        for radius in [65_535, .infinity, 1e300] {
            let blurred = try blur(row, radius: radius)
            #expect(blurred.size == row.size)
            #expect(try sharpen(row, amount: 1, size: .max - 1).size == row.size)
        }
    }

    @Test func `resampling filters a bounded number of pixels for those of source and target`()
        throws
    {
        for (width, height) in pairs() {
            for (newWidth, newHeight) in pairs() {
                // The resampler refuses larger results.
                guard width * height < 1 << 31, newWidth * newHeight < 1 << 31 else { continue }
                let plan = try ResamplePlan(
                    source: PixelSize(width: width, height: height),
                    target: PixelSize(width: newWidth, height: newHeight),
                    filter: .lanczos3,
                    isOpaque: true
                )
                let first = plan.reduced.height * newWidth
                // The box average shrinks by 257 at most.
                let bound = 9 * (width * height + newWidth * newHeight) + 256 * newWidth
                #expect(first <= bound, "\(width)x\(height) to \(newWidth)x\(newHeight)")
            }
        }
    }

    private func pairs() -> [(Int, Int)] {
        [1, 7, 300, 65_535].flatMap { width in [1, 7, 300, 65_535].map { (width, $0) } }
    }

    @Test(arguments: [(1, 1), (9, 20), (40, 30), (200, 10)])
    func `a part of a resampled bitmap has the pixels of the whole`(
        _ width: Int,
        _ height: Int
    ) throws {
        let source = try TestPictures.noise(40, 30)
        let size = PixelSize(width: width, height: height)
        let whole = try resample(source, to: size)
        for part in [
            PixelRect(size: size), PixelRect(x: width - 1, y: 0, width: 1, height: 1),
            PixelRect(x: 0, y: height / 2, width: width, height: height - height / 2),
        ] {
            #expect(try resample(source, to: size, part: part) == crop(whole, to: part))
        }
    }
}
