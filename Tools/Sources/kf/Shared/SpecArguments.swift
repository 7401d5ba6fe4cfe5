import ArgumentParser
import Foundation
import Kingfisher

/// The arguments of a processor, which are separated by colons.
///
/// Every method throws a `ValidationError` that quotes an invalid argument.
struct SpecArguments: Sendable {
    /// The whole specification, for messages.
    let text: String
    let values: [String]

    /// A size in pixels with one or both sides, or a percentage.
    func size(_ index: Int) throws -> SizeSpec { try SizeSpec(values[index], in: text) }

    /// The size of a part of the image; an omitted side is that of the image.
    func extent(_ value: String) throws -> CGSize {
        switch try SizeSpec(value, in: text) {
        case .both(let size): return size
        case .width(let width): return CGSize(width: width, height: SizeSpec.largestSide)
        case .height(let height): return CGSize(width: SizeSpec.largestSide, height: height)
        case .share:
            throw ValidationError(
                "'\(value)' in '\(text)': percentages are only for resize and downsample"
            )
        }
    }

    /// A size of two sides, for a step that scales to it.
    func box(_ index: Int) throws -> CGSize {
        guard case .both(let size) = try size(index) else {
            throw ValidationError(
                "'\(values[index])' in '\(text)' is not a size of two sides; write WIDTHxHEIGHT"
            )
        }
        return size
    }

    /// A number within a range; `standard` if it is omitted.
    func number(
        _ index: Int,
        _ range: ClosedRange<Double>,
        default standard: Double? = nil
    ) throws -> CGFloat {
        guard index < values.count else { return CGFloat(standard ?? range.lowerBound) }
        return CGFloat(try number(values[index], range))
    }

    /// A list of `count` numbers, separated by commas.
    func numbers(_ index: Int, count: Int, _ range: ClosedRange<Double>) throws -> [CGFloat] {
        let parts = values[index].split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == count else {
            throw unreadable(values[index], "list of \(count) numbers, separated by commas")
        }
        return try parts.map { CGFloat(try number(String($0), range)) }
    }

    /// A radius in pixels, or a percentage of the width: `20`, `50%`.
    func radius(
        _ index: Int,
        _ pixels: ClosedRange<Double>,
        percent: ClosedRange<Double>
    ) throws -> Radius {
        let value = values[index]
        guard value.hasSuffix("%") else { return .point(try number(index, pixels)) }
        return .widthFraction(CGFloat(try number(String(value.dropLast()), percent)) / 100)
    }

    /// A position in fractions of the free space: `0,0` is the top left, `1,1` the bottom right.
    func anchor(_ value: String?, default standard: CGPoint) throws -> CGPoint {
        guard let value else { return standard }
        let shares = value.split(separator: ",", omittingEmptySubsequences: false)
        guard shares.count == 2 else { throw unreadable(value, "position; write X,Y, each 0 to 1") }
        return CGPoint(
            x: try number(String(shares[0]), 0...1),
            y: try number(String(shares[1]), 0...1)
        )
    }

    /// A colour: a name, `#rgb`, `#rrggbb` or `#rrggbbaa`; nil if it is omitted.
    func colour(_ index: Int) throws -> KFCrossPlatformColor? {
        guard index < values.count else { return nil }
        guard let colour = KFCrossPlatformColor(text: values[index]) else {
            throw unreadable(
                values[index],
                "colour; write #rgb, #rrggbb, #rrggbbaa or a name like white"
            )
        }
        return colour
    }

    /// One of several words; `standard` if it is omitted.
    func choice<Value>(
        _ index: Int,
        _ choices: [String: Value],
        default standard: String? = nil
    ) throws -> Value {
        let word = index < values.count ? values[index] : standard ?? ""
        guard let value = choices[word] else {
            let words = choices.keys.sorted().joined(separator: ", ")
            throw ValidationError("'\(word)' in '\(text)' is not one of \(words)")
        }
        return value
    }

    /// The parts before and after the last mark of an argument.
    func split(_ index: Int, at mark: Character) -> (String, String?) {
        let value = values[index]
        guard let place = value.lastIndex(of: mark) else { return (value, nil) }
        return (String(value[..<place]), String(value[value.index(after: place)...]))
    }

    /// A file name and an optional position after it.
    ///
    /// An at-sign that is not followed by a position, as in `logo@2x.png`, belongs to the name.
    func placedFile(_ index: Int) -> (String, String?) {
        let (file, place) = split(index, at: "@")
        return place?.contains(",") == true ? (file, place) : (values[index], nil)
    }

    /// The image in a file.
    func picture(_ path: String) throws -> KFCrossPlatformImage {
        let bytes: Data
        do {
            // A pipe cannot be read again for the next image, so there is no need to wait for one.
            bytes = try InputFile(path: path, patience: 1).contents()
        } catch {
            throw ValidationError("'\(path)' in '\(text)': \(ErrorReport.reason(for: error))")
        }
        guard let image = KFCrossPlatformImage(data: bytes) else {
            throw ValidationError("'\(path)' in '\(text)' is not an image that can be decoded")
        }
        return image
    }

    /// A range as in `0 to 1`.
    static func text(of range: ClosedRange<Double>) -> String {
        "\(trimmed(range.lowerBound)) to \(trimmed(range.upperBound))"
    }

    private func number(_ value: String, _ range: ClosedRange<Double>) throws -> Double {
        guard let number = Double(value), range.contains(number) else {
            throw unreadable(value, "number from \(Self.text(of: range))")
        }
        return number
    }

    private func unreadable(_ value: String, _ expected: String) -> ValidationError {
        ValidationError("'\(value)' in '\(text)' is not a \(expected)")
    }
}
