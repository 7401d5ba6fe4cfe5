import Kingfisher

/// Sharpens by a mask of 3 × 3 pixels: the difference to the eight neighbours is added.
///
/// The pixels outside of an image are those of its edge.
struct UnsharpMaskProcessor: PixelProcessor {
    let identifier: String
    /// The share of each neighbour in 65,536ths.
    private let share: Int

    /// - Parameters:
    ///   - weight: The weight of each neighbour.
    ///   - divider: What the weights are divided by.
    init(weight: Double, divider: Double) {
        let ratio = weight / divider
        share = Int((max(0, min(16, ratio.isNaN ? 0 : ratio)) * 65_536).rounded())
        identifier = "kingfisher.server.unsharp(\(share))"
    }

    func draw(
        _ image: KFCrossPlatformImage,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        return image.mappingPixels { pixels in
            // The rows above and of the pixel as they were before.
            var above = [UInt8](pixels[..<(width * 4)])
            for y in 0..<height {
                let row = y * width * 4
                let own = [UInt8](pixels[row..<(row + width * 4)])
                let next = min(y + 1, height - 1) * width * 4
                let below = [UInt8](pixels[next..<(next + width * 4)])
                for x in 0..<width {
                    let (left, middle) = (max(0, x - 1) * 4, x * 4)
                    let right = min(x + 1, width - 1) * 4
                    let alpha = Int(own[middle + 3])
                    for channel in 0..<3 {
                        let centre = Int(own[middle + channel])
                        var sum = Int(own[left + channel]) + Int(own[right + channel])
                        sum += Int(above[left + channel]) + Int(above[middle + channel])
                        sum += Int(above[right + channel]) + Int(below[left + channel])
                        sum += Int(below[middle + channel]) + Int(below[right + channel])
                        let value = centre + ((8 * centre - sum) * share) >> 16
                        pixels[row + middle + channel] = UInt8(max(0, min(alpha, value)))
                    }
                }
                above = own
            }
        }
    }
}
