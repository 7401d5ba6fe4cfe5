import ArgumentParser
import Foundation
import Kingfisher

/// A size as given on the command line: `300x200`, `300x`, `x200` or `50%`.
enum SizeSpec: Equatable, Sendable {
    case both(CGSize)
    case width(CGFloat)
    case height(CGFloat)
    /// A factor for both sides, above 0 and at most 10.
    case share(CGFloat)

    /// The largest side of an image in pixels.
    static let largestSide: CGFloat = 65_535

    /// Parses the size `value`; `text` is the whole specification, for messages.
    ///
    /// - Throws: A `ValidationError` if it has another form.
    init(_ value: String, in text: String) throws {
        if value.hasSuffix("%") {
            guard let percent = Double(value.dropLast()), percent > 0, percent <= 1000 else {
                throw ValidationError(
                    "'\(value)' in '\(text)' is not a percentage; write 1% to 1000%"
                )
            }
            self = .share(CGFloat(percent) / 100)
            return
        }
        let sides = value.split(separator: "x", omittingEmptySubsequences: false).map(String.init)
        let numbers = sides.map { Int($0) ?? 0 }
        let areValid = zip(sides, numbers).allSatisfy { $0.isEmpty || (1...65_535).contains($1) }
        guard sides.count == 2, areValid, sides != ["", ""] else {
            throw ValidationError(
                "'\(value)' in '\(text)' is not a size; write WIDTHxHEIGHT, WIDTHx, xHEIGHT or "
                    + "PERCENT%, each side 1 to 65535"
            )
        }
        self =
            switch (sides[0].isEmpty, sides[1].isEmpty) {
            case (false, true): .width(CGFloat(numbers[0]))
            case (true, false): .height(CGFloat(numbers[1]))
            default: .both(CGSize(width: numbers[0], height: numbers[1]))
            }
    }

    /// Parses the `WIDTHxHEIGHT` of an option that takes nothing else, with the range of both sides.
    ///
    /// - Throws: A `ValidationError` that names the range.
    static func box(_ text: String, of option: String, _ sides: ClosedRange<Int>) throws -> CGSize {
        let numbers = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard numbers.count == 2, let width = numbers[0], let height = numbers[1],
            sides.contains(width), sides.contains(height)
        else {
            throw ValidationError(
                "\(option) is WIDTHxHEIGHT, each side \(sides.lowerBound) to \(sides.upperBound)"
            )
        }
        return CGSize(width: width, height: height)
    }

    /// The target size for an image of `own` pixels.
    func resolved(for own: CGSize) -> CGSize {
        switch self {
        case .both(let size): own.kf.constrained(size)
        case .width(let width): own.kf.constrained(CGSize(width: width, height: Self.largestSide))
        case .height(let height):
            own.kf.constrained(CGSize(width: Self.largestSide, height: height))
        case .share(let share):
            CGSize(
                width: max(1, (own.width * share).rounded()),
                height: max(1, (own.height * share).rounded())
            )
        }
    }

    /// Resizes by content mode.
    ///
    /// A size derived from the image keeps its aspect ratio in any mode.
    func resizing(_ mode: ContentMode) -> any ImageProcessor {
        switch self {
        case .both(let size): ResizingImageProcessor(referenceSize: size, mode: mode)
        case .width(let width):
            ResizingImageProcessor(
                referenceSize: CGSize(width: width, height: Self.largestSide),
                mode: .aspectFit
            )
        case .height(let height):
            ResizingImageProcessor(
                referenceSize: CGSize(width: Self.largestSide, height: height),
                mode: .aspectFit
            )
        case .share: RelativeSizeProcessor(size: self, enlarges: true)
        }
    }

    /// Resizes to fit in a box, and never enlarges.
    ///
    /// The library's `DownsamplingImageProcessor` takes the longer side of its size for both sides, as
    /// the original does, so that an upright image is higher than the size says.
    var downsampling: any ImageProcessor { RelativeSizeProcessor(size: self, enlarges: false) }
}

/// Resizes to a size that depends on the image's own.
struct RelativeSizeProcessor: ImageProcessor {
    let size: SizeSpec
    let enlarges: Bool

    var identifier: String {
        let text =
            switch size {
            case .both(let size): "\(size.width)x\(size.height)"
            case .width(let width): "\(width)x"
            case .height(let height): "x\(height)"
            case .share(let share): "\(share * 100)%"
            }
        return "kf.RelativeSizeProcessor(\(text)\(enlarges ? "" : ", shrink"))"
    }

    /// Resizes; bytes are decoded straight to the target size.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let own: CGSize
        switch item {
        case .image(let image): own = CGSize(width: image.pixelWidth, height: image.pixelHeight)
        case .data(let data):
            // Without a header there is no image; the decoder reports the reason.
            guard let info = try? ImageFileInfo(of: data, options: options) else { return nil }
            own = info.size
        }
        let target = size.resolved(for: own)
        let isEnlarged = target.width > own.width || target.height > own.height
        let step: any ImageProcessor =
            isEnlarged && !enlarges || target == own
            ? DefaultImageProcessor.default
            : ResizingImageProcessor(referenceSize: target, mode: .none)
        return step.process(item: item, options: options)
    }
}
