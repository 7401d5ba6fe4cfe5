import Foundation
import Kingfisher

/// Colours and placeholders, computed from a thumbnail.
struct ThumbnailColours: Sendable, Hashable {
    var thumbHash: String?
    var blurHash: String?
    var dominant: ProcessingOptions.Colour?
    var palette: [ProcessingOptions.Colour]

    /// - Parameters:
    ///   - thumbnail: The thumbnail.
    ///   - options: Name the wanted placeholders.
    init(of thumbnail: KFCrossPlatformImage, _ options: ProcessingOptions) {
        thumbHash =
            options.wantsThumbHash ? thumbnail.kf.thumbHash()?.base64EncodedString() : nil
        blurHash = options.wantsBlurHash ? thumbnail.kf.blurHash() : nil
        dominant = thumbnail.kf.dominantColor.map(ProcessingOptions.Colour.init)
        palette = Palette(of: thumbnail).colours(atMost: 5)
    }
}

/// The colours of an image by median cut (Heckbert, "Color Image Quantization for Frame Buffer
/// Display", 1982).
struct Palette {
    private typealias Pixel = SIMD3<Int>

    private let pixels: [Pixel]

    /// Takes the pixels that are at least half opaque.
    init(of image: KFCrossPlatformImage) {
        pixels = image.withPremultipliedRGBA { bytes, stride in
            var pixels: [Pixel] = []
            for y in 0..<image.pixelHeight {
                for x in 0..<image.pixelWidth {
                    let start = y * stride + x * 4
                    let alpha = Int(bytes[start + 3])
                    guard alpha >= 128 else { continue }
                    let premultiplied = Pixel(
                        Int(bytes[start]),
                        Int(bytes[start + 1]),
                        Int(bytes[start + 2])
                    )
                    pixels.append(premultiplied &* 255 / alpha)
                }
            }
            return pixels
        }
    }

    /// The mean colours of boxes, the fullest first.
    ///
    /// The box with the widest channel is cut at its median until there are enough boxes, or no
    /// channel is wider than 24 levels, which look alike.
    func colours(atMost count: Int) -> [ProcessingOptions.Colour] {
        guard !pixels.isEmpty else { return [] }
        var boxes = [pixels]
        while boxes.count < count {
            let widths = boxes.map { Self.widest($0) }
            guard let index = widths.indices.max(by: { widths[$0].width < widths[$1].width }),
                widths[index].width > 24
            else { break }
            let (low, high) = Self.cut(boxes[index], along: widths[index].channel)
            boxes[index] = low
            boxes.append(high)
        }
        return boxes.sorted { $0.count > $1.count }.map(Self.mean)
    }

    private static func widest(_ pixels: [Pixel]) -> (channel: Int, width: Int) {
        var low = Pixel(repeating: 255)
        var high = Pixel(repeating: 0)
        for pixel in pixels {
            low = pointwiseMin(low, pixel)
            high = pointwiseMax(high, pixel)
        }
        let width = high &- low
        let channel = (0..<3).max { width[$0] < width[$1] } ?? 0
        return (channel, width[channel])
    }

    /// Two boxes, none of them empty and no colour in both.
    private static func cut(_ pixels: [Pixel], along channel: Int) -> ([Pixel], [Pixel]) {
        let sorted = pixels.map { $0[channel] }.sorted()
        let median = sorted[sorted.count / 2]
        // If the lower half has one value, it becomes a box of its own.
        let bound = median > sorted[0] ? median : median + 1
        return (pixels.filter { $0[channel] < bound }, pixels.filter { $0[channel] >= bound })
    }

    private static func mean(_ pixels: [Pixel]) -> ProcessingOptions.Colour {
        let sum = pixels.reduce(Pixel(), &+)
        func part(_ channel: Int) -> UInt8 {
            UInt8(max(0, min(255, (sum[channel] + pixels.count / 2) / pixels.count)))
        }
        return .init(red: part(0), green: part(1), blue: part(2))
    }
}

extension ProcessingOptions.Colour {
    /// The nearest colour of 8 bits per channel, without alpha.
    init(_ colour: KFCrossPlatformColor) {
        func part(_ value: CGFloat) -> UInt8 { UInt8(max(0, min(255, (value * 255).rounded()))) }
        self.init(red: part(colour.red), green: part(colour.green), blue: part(colour.blue))
    }
}
