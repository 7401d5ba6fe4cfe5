import Foundation
import Kingfisher

/// The difference of two images of one size.
struct ImageDifference: Sendable {
    /// In decibels, over red, green, blue and alpha, composited on black; infinite for equal
    /// images.
    let psnr: Double
    /// The structural similarity of the luma; 1 for equal images.
    let ssim: Double
    /// The largest difference of a channel, 0…255.
    let largest: Int
    /// The number of pixels that differ in any channel.
    let differing: Int
    let width: Int
    let height: Int

    /// (1 - SSIM) / 2: 0 for equal images.
    var dssim: Double { (1 - ssim) / 2 }

    private typealias Pixels = (bytes: [UInt8], width: Int, height: Int)

    /// Compares two images.
    ///
    /// The PSNR is derived from the mean square error of the premultiplied channels. SSIM after
    /// Wang, Bovik, Sheikh and Simoncelli, "Image Quality Assessment" (2004), over windows of 8 × 8
    /// pixels at every fourth pixel, with its constants K1 = 0.01 and K2 = 0.03.
    ///
    /// - Throws: A ``Failure`` if the sizes differ or there are no pixels.
    init(_ first: KFCrossPlatformImage, _ second: KFCrossPlatformImage) throws {
        let (a, b) = (Self.pixels(first), Self.pixels(second))
        guard a.width == b.width, a.height == b.height else {
            throw Failure(
                "the images have different sizes: \(a.width) × \(a.height) and "
                    + "\(b.width) × \(b.height) pixels; -p resize:\(b.width)x\(b.height):none "
                    + "applies to both"
            )
        }
        guard !a.bytes.isEmpty else { throw Failure("the images have no pixels") }
        (width, height) = (a.width, a.height)
        var squares = 0
        var largest = 0
        var differing = 0
        for pixel in 0..<width * height {
            var isEqual = true
            for channel in 0..<4 {
                let index = pixel * 4 + channel
                let distance = abs(Int(a.bytes[index]) - Int(b.bytes[index]))
                if distance > 0 { isEqual = false }
                squares += distance * distance
                largest = max(largest, distance)
            }
            if !isEqual { differing += 1 }
        }
        // Alpha counts only if one of the images has transparency.
        let channels = Self.isOpaque(a) && Self.isOpaque(b) ? 3 : 4
        let meanSquare = Double(squares) / Double(width * height * channels)
        psnr = squares == 0 ? .infinity : 10 * log10(255 * 255 / meanSquare)
        self.largest = largest
        self.differing = differing
        ssim = Self.ssim(Self.luma(a), Self.luma(b), width: width, height: height)
    }

    /// The differences as an image: black where the two are equal, otherwise eight times the
    /// difference.
    static func picture(
        of first: KFCrossPlatformImage,
        and second: KFCrossPlatformImage
    ) throws -> KFCrossPlatformImage {
        let (a, b) = (pixels(first), pixels(second))
        var result = Data(count: a.bytes.count)
        func distance(_ index: Int) -> Int { abs(Int(a.bytes[index]) - Int(b.bytes[index])) }
        for index in result.indices {
            // A difference of alpha is shown as one of all colours.
            let largest = max(distance(index), distance(index | 3))
            result[index] = index % 4 == 3 ? 255 : UInt8(min(255, largest * 8))
        }
        let image = KFCrossPlatformImage(
            premultipliedRGBA: result,
            width: a.width,
            height: a.height
        )
        guard let image else { throw Failure("the image of the differences cannot be created") }
        return image
    }

    // MARK: - Pixels

    private static func pixels(_ image: KFCrossPlatformImage) -> Pixels {
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        let bytes = image.withPremultipliedRGBA { source, bytesPerRow in
            (0..<height).reduce(into: [UInt8]()) { result, row in
                let start = row * bytesPerRow
                result.append(contentsOf: source[start..<start + width * 4])
            }
        }
        return (bytes, width, height)
    }

    private static func isOpaque(_ pixels: Pixels) -> Bool {
        stride(from: 3, to: pixels.bytes.count, by: 4).allSatisfy { pixels.bytes[$0] == 255 }
    }

    /// Luma by ITU-R BT.601.
    private static func luma(_ pixels: Pixels) -> [Double] {
        stride(from: 0, to: pixels.bytes.count, by: 4).map { (index: Int) -> Double in
            let red = 299 * Int(pixels.bytes[index])
            let green = 587 * Int(pixels.bytes[index + 1])
            let blue = 114 * Int(pixels.bytes[index + 2])
            return Double(red + green + blue) / 1000
        }
    }

    private static func ssim(_ a: [Double], _ b: [Double], width: Int, height: Int) -> Double {
        let (across, down) = (min(8, width), min(8, height))
        var total = 0.0
        var windows = 0
        for top in stride(from: 0, through: height - down, by: 4) {
            for left in stride(from: 0, through: width - across, by: 4) {
                total += ssim(a, b, at: top * width + left, width, across, down)
                windows += 1
            }
        }
        return total / Double(max(1, windows))
    }

    /// The similarity of one window whose first pixel is at `start`.
    private static func ssim(
        _ a: [Double],
        _ b: [Double],
        at start: Int,
        _ width: Int,
        _ across: Int,
        _ down: Int
    ) -> Double {
        var (sumA, sumB, sumAA, sumBB, sumAB) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for row in 0..<down {
            for index in start + row * width..<start + row * width + across {
                sumA += a[index]
                sumB += b[index]
                sumAA += a[index] * a[index]
                sumBB += b[index] * b[index]
                sumAB += a[index] * b[index]
            }
        }
        let count = Double(across * down)
        let (meanA, meanB) = (sumA / count, sumB / count)
        let varianceA = sumAA / count - meanA * meanA
        let varianceB = sumBB / count - meanB * meanB
        let covariance = sumAB / count - meanA * meanB
        let (c1, c2) = (6.5025, 58.5225)
        return (2 * meanA * meanB + c1) * (2 * covariance + c2)
            / ((meanA * meanA + meanB * meanB + c1) * (varianceA + varianceB + c2))
    }
}
