import Kingfisher

/// The luma of an image, to measure how much an encoding changed it.
struct LumaPlane: Sendable {
    private let width: Int
    private let height: Int
    private let values: [UInt8]

    /// Transparent pixels count as black, as the premultiplied channels say.
    init(_ image: KFCrossPlatformImage) {
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        (self.width, self.height) = (width, height)
        values = image.withPremultipliedRGBA { pixels, stride in
            [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
                for y in 0..<height {
                    for x in 0..<width {
                        let start = y * stride + x * 4
                        let luma = Luma.of(pixels[start], pixels[start + 1], pixels[start + 2])
                        target[y * width + x] = UInt8(luma)
                    }
                }
                count = width * height
            }
        }
    }

    /// The structural dissimilarity, (1 − SSIM) / 2: 0 for equal planes, at most 1.
    ///
    /// SSIM is the mean of the index of Wang, Bovik, Sheikh, Simoncelli, "Image Quality Assessment:
    /// From Error Visibility to Structural Similarity" (2004), equation 13, over squares of 8 × 8
    /// pixels with equal weights, every 4 pixels; K₁ = 0.01, K₂ = 0.03.
    ///
    /// - Parameter other: The plane to compare with.
    /// - Returns: The dissimilarity; 1 for a plane of another size.
    /// - Complexity: O(pixels).
    func dissimilarity(to other: LumaPlane) -> Double {
        guard width == other.width, height == other.height, !values.isEmpty else { return 1 }
        let (across, down) = (min(8, width), min(8, height))
        var sum = 0.0
        var count = 0
        values.withUnsafeBufferPointer { one in
            other.values.withUnsafeBufferPointer { two in
                for top in Self.places(height, down) {
                    for left in Self.places(width, across) {
                        var window = WindowSums()
                        for y in top..<(top + down) {
                            for x in left..<(left + across) {
                                window.add(Int(one[y * width + x]), Int(two[y * width + x]))
                            }
                        }
                        sum += window.similarity
                        count += 1
                    }
                }
            }
        }
        return (1 - sum / Double(count)) / 2
    }

    /// Every fourth place of a window, and the last one, so that the whole side is covered.
    private static func places(_ side: Int, _ window: Int) -> [Int] {
        let last = side - window
        let regular = Array(stride(from: 0, through: last, by: 4))
        return regular.last == last ? regular : regular + [last]
    }
}

/// The moments of a window of two planes.
private struct WindowSums {
    private var count = 0
    private var one = 0
    private var two = 0
    private var squareOne = 0
    private var squareTwo = 0
    private var product = 0

    mutating func add(_ first: Int, _ second: Int) {
        count += 1
        one += first
        two += second
        squareOne += first * first
        squareTwo += second * second
        product += first * second
    }

    var similarity: Double {
        let number = Double(count)
        let (meanOne, meanTwo) = (Double(one) / number, Double(two) / number)
        let varianceOne = Double(squareOne) / number - meanOne * meanOne
        let varianceTwo = Double(squareTwo) / number - meanTwo * meanTwo
        let covariance = Double(product) / number - meanOne * meanTwo
        let (first, second) = (0.01 * 255 * 0.01 * 255, 0.03 * 255 * 0.03 * 255)
        return (2 * meanOne * meanTwo + first) * (2 * covariance + second)
            / ((meanOne * meanOne + meanTwo * meanTwo + first)
                * (varianceOne + varianceTwo + second))
    }
}
