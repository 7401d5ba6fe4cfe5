import Foundation
import Kingfisher

/// A processor that the library does not have.
///
/// It works on a decoded image, so it follows a processor that decodes; bytes are decoded by the
/// default processor.
protocol PixelProcessor: ImageProcessor {
    /// Makes the image; nil on failure.
    func draw(
        _ image: KFCrossPlatformImage,
        _ options: KingfisherParsedOptionsInfo
    )
        -> KFCrossPlatformImage?
}

extension PixelProcessor {
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): draw(image, options)
        case .data:
            DefaultImageProcessor.default.process(item: item, options: options)
                .flatMap { draw($0, options) }
        }
    }
}

/// Mixes an image with its own luma in one colour.
struct MonochromeProcessor: PixelProcessor {
    let identifier: String
    /// 0 changes nothing, 1 leaves only the colour.
    private let intensity: Double
    private let colour: ProcessingOptions.Colour

    /// - Parameters:
    ///   - intensity: Clamped to 0…1.
    ///   - colour: The colour of white pixels.
    init(intensity: Double, colour: ProcessingOptions.Colour) {
        self.intensity = intensity.isNaN ? 0 : max(0, min(1, intensity))
        self.colour = colour
        identifier = "kingfisher.server.monochrome(\(self.intensity)_\(colour.hexadecimal))"
    }

    func draw(
        _ image: KFCrossPlatformImage,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let share = Int((intensity * 256).rounded())
        let tint = [Int(colour.red), Int(colour.green), Int(colour.blue)]
        return image.mappingPixels { pixels in
            for start in stride(from: 0, to: pixels.count, by: 4) {
                let luma = Luma.of(pixels[start], pixels[start + 1], pixels[start + 2])
                for channel in 0..<3 {
                    let toned = luma * tint[channel] / 255
                    let mixed = Int(pixels[start + channel]) * (256 - share) + toned * share
                    pixels[start + channel] = UInt8(mixed >> 8)
                }
            }
        }
    }
}

/// Replaces squares of pixels by their mean.
struct PixelateProcessor: PixelProcessor {
    let identifier: String
    private let side: Int

    /// - Parameter side: The side of the squares, clamped to 1…65,535.
    init(side: Int) {
        self.side = max(1, min(65_535, side))
        identifier = "kingfisher.server.pixelate(\(self.side))"
    }

    func draw(
        _ image: KFCrossPlatformImage,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        return image.mappingPixels { pixels in
            for top in stride(from: 0, to: height, by: side) {
                let bottom = min(height, top + side)
                for left in stride(from: 0, to: width, by: side) {
                    Self.average(pixels, left..<min(width, left + side), top..<bottom, width)
                }
            }
        }
    }

    private static func average(
        _ pixels: UnsafeMutableBufferPointer<UInt8>,
        _ columns: Range<Int>,
        _ rows: Range<Int>,
        _ width: Int
    ) {
        var sums = SIMD4<Int>()
        for y in rows {
            for x in columns {
                let start = (y * width + x) * 4
                for channel in 0..<4 { sums[channel] += Int(pixels[start + channel]) }
            }
        }
        let count = rows.count * columns.count
        for y in rows {
            for x in columns {
                let start = (y * width + x) * 4
                for channel in 0..<4 {
                    pixels[start + channel] = UInt8((sums[channel] + count / 2) / count)
                }
            }
        }
    }
}

/// Removes a border of one colour, then runs the rest of the chain, which depends on the new size.
struct TrimProcessor: PixelProcessor {
    let identifier: String
    private let trim: ProcessingOptions.Trim
    private let rest: @Sendable (Extent) -> (any ImageProcessor)?

    /// - Parameters:
    ///   - trim: The colour of the border and the threshold.
    ///   - name: Names everything that `rest` depends on besides the size.
    ///   - rest: Returns the processor for an image of a size; nil if it must not be made.
    init(
        _ trim: ProcessingOptions.Trim,
        name: String,
        rest: @escaping @Sendable (Extent) -> (any ImageProcessor)?
    ) {
        self.trim = trim
        self.rest = rest
        let colour = trim.colour?.hexadecimal ?? "auto"
        identifier =
            "kingfisher.server.trim(\(trim.threshold)_\(colour)_\(trim.equalHorizontally)"
            + "_\(trim.equalVertically)_\(name))"
    }

    func draw(
        _ image: KFCrossPlatformImage,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let frame = contentFrame(of: image)
        let trimmed = image.kf.padded(
            top: CGFloat(-frame.y),
            left: CGFloat(-frame.x),
            bottom: CGFloat(frame.y + frame.size.height - image.pixelHeight),
            right: CGFloat(frame.x + frame.size.width - image.pixelWidth)
        )
        return rest(frame.size)?.process(item: .image(trimmed), options: options)
    }

    /// The part inside the border; all of the image if it is nothing but border.
    func contentFrame(of image: KFCrossPlatformImage) -> Frame {
        let (width, height) = (image.pixelWidth, image.pixelHeight)
        let whole = Frame(x: 0, y: 0, size: Extent(width: width, height: height))
        guard width > 0, height > 0 else { return whole }
        return image.withPremultipliedRGBA { pixels, stride in
            let border = border(pixels)
            let limit = Int(max(0, min(255, trim.threshold.isNaN ? 0 : trim.threshold)))
            func isContent(_ x: Int, _ y: Int) -> Bool {
                let colour = Self.colour(pixels, y * stride + x * 4)
                let distance = colour &- border
                return any(distance .> limit .| distance .< -limit)
            }
            guard
                let top = (0..<height).first(where: { y in
                    (0..<width).contains { isContent($0, y) }
                }),
                let bottom = (top..<height).last(where: { y in
                    (0..<width).contains { isContent($0, y) }
                })
            else { return whole }
            let left = (0..<width).first { x in (top...bottom).contains { isContent(x, $0) } } ?? 0
            let right =
                (left..<width).last { x in (top...bottom).contains { isContent(x, $0) } } ?? left
            return equalized(left, top, width - 1 - right, height - 1 - bottom, whole.size)
        }
    }

    private func border(_ pixels: UnsafeRawBufferPointer) -> SIMD3<Int> {
        guard let colour = trim.colour else { return Self.colour(pixels, 0) }
        return .init(Int(colour.red), Int(colour.green), Int(colour.blue))
    }

    /// The colour of a pixel in front of magenta: as with imgproxy, `FF00FF` means transparent.
    private static func colour(_ pixels: UnsafeRawBufferPointer, _ start: Int) -> SIMD3<Int> {
        let rest = 255 - Int(pixels[start + 3])
        return .init(
            Int(pixels[start]) + rest,
            Int(pixels[start + 1]),
            Int(pixels[start + 2]) + rest
        )
    }

    /// The frame between margins, of which opposite ones may have to be equal.
    private func equalized(
        _ left: Int,
        _ top: Int,
        _ right: Int,
        _ bottom: Int,
        _ size: Extent
    ) -> Frame {
        let across = trim.equalHorizontally ? (min(left, right), min(left, right)) : (left, right)
        let down = trim.equalVertically ? (min(top, bottom), min(top, bottom)) : (top, bottom)
        return Frame(
            x: across.0,
            y: down.0,
            size: Extent(
                width: size.width - across.0 - across.1,
                height: size.height - down.0 - down.1
            )
        )
    }
}

/// The brightness of a colour.
enum Luma {
    /// The luma of ITU-R BT.601 with weights of 1/256, 0…255.
    static func of(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int {
        (77 * Int(red) + 150 * Int(green) + 29 * Int(blue)) >> 8
    }
}

extension KFCrossPlatformImage {
    /// The image with changed premultiplied RGBA pixels, which have no padding between rows.
    func mappingPixels(
        _ change: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) -> KFCrossPlatformImage? {
        let (width, height) = (pixelWidth, pixelHeight)
        guard width > 0, height > 0 else { return nil }
        var copy = Data(count: width * height * 4)
        copy.withUnsafeMutableBytes { (bytes: UnsafeMutableRawBufferPointer) in
            let target = bytes.bindMemory(to: UInt8.self)
            withPremultipliedRGBA { source, stride in
                for y in 0..<height {
                    for byte in 0..<(width * 4) {
                        target[y * width * 4 + byte] = source[y * stride + byte]
                    }
                }
            }
            change(target)
        }
        return KFCrossPlatformImage(
            premultipliedRGBA: copy,
            width: width,
            height: height,
            scale: scale
        )
    }
}
