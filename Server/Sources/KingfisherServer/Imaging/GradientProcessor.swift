import Foundation
import Kingfisher

/// Draws a colour over an image, from transparent to an opacity along a direction.
struct GradientProcessor: PixelProcessor {
    let identifier: String
    private let gradient: ProcessingOptions.Gradient

    /// Makes a processor; the numbers are clamped to their ranges.
    init(_ gradient: ProcessingOptions.Gradient) {
        func clamped(_ number: Double) -> Double { number.isNaN ? 0 : max(0, min(1, number)) }
        var own = gradient
        own.opacity = clamped(gradient.opacity)
        own.start = clamped(gradient.start)
        own.end = clamped(gradient.end)
        own.degrees = gradient.degrees.isFinite ? gradient.degrees : 0
        self.gradient = own
        identifier =
            "kingfisher.server.gradient(\(own.opacity)_\(own.colour.hexadecimal)_\(own.degrees)_"
            + "\(own.start)_\(own.end))"
    }

    func draw(
        _ image: KFCrossPlatformImage,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        let angle = gradient.degrees * .pi / 180
        let (across, down) = (-sin(angle), cos(angle))
        // The way from the first corner that the direction reaches to the last one.
        let length = abs(across) * Double(width) + abs(down) * Double(height)
        func places(_ count: Int, _ share: Double) -> [Double] {
            (0..<count).map { (Double($0) + 0.5 - Double(count) / 2) * share / length }
        }
        let (columns, rows) = (places(width, across), places(height, down))
        let colour = [gradient.colour.red, gradient.colour.green, gradient.colour.blue, 255]
            .map { Int($0) }
        let (start, range) = (gradient.start, gradient.end - gradient.start)
        let most = gradient.opacity * 65_536
        return image.mappingPixels { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let way = columns[x] + rows[y] + 0.5 - start
                    let grown = range > 0 ? max(0, min(1, way / range)) : way < 0 ? 0 : 1
                    let share = Int(grown * most)
                    let pixel = (y * width + x) * 4
                    for channel in 0..<4 {
                        let own = Int(pixels[pixel + channel])
                        let mixed = own * (65_536 - share) + colour[channel] * share
                        pixels[pixel + channel] = UInt8((mixed + 32_768) >> 16)
                    }
                }
            }
        }
    }
}
