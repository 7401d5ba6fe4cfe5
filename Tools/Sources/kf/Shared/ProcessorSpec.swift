import ArgumentParser
import Foundation
import Kingfisher

/// A processor as given on the command line, such as `resize:300x200:fit`.
struct ProcessorSpec: Sendable {
    let text: String
    let processor: any ImageProcessor

    /// The names of the steps, with the colon that their arguments begin with.
    static let completion = CompletionKind.list(
        ProcessorForm.all.map { $0.count.lowerBound > 0 ? "\($0.name):" : $0.name }
    )

    /// Parses a specification.
    ///
    /// - Throws: A `ValidationError` that states the expected form.
    init(_ text: String) throws {
        self.text = text
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let form = ProcessorForm.all.first(where: { $0.name == parts[0] }) else {
            throw ValidationError(
                "unknown processor '\(parts[0])' in '\(text)'; choose from "
                    + ProcessorForm.all.map(\.form).joined(separator: ", ")
            )
        }
        let arguments = SpecArguments(text: text, values: Array(parts.dropFirst()))
        guard form.count.contains(arguments.values.count) else {
            throw ValidationError("'\(text)' is not of the form \(form.form)")
        }
        processor = try form.make(arguments)
    }

    /// The size of an image that is large enough for this step, with twice the pixels on each side; nil
    /// if the step may need all of them.
    var sufficientSize: CGSize? {
        let parts = text.split(separator: ":").map(String.init)
        guard parts.count == 2, parts[0] == "resize",
            let size = try? SizeSpec(parts[1], in: text)
        else { return nil }
        return switch size {
        case .width(let width): CGSize(width: 2 * width, height: SizeSpec.largestSide)
        case .height(let height): CGSize(width: SizeSpec.largestSide, height: 2 * height)
        case .both, .share: nil
        }
    }

    /// All processors chained in order; nil for none.
    static func chain(_ specs: [ProcessorSpec]) -> (any ImageProcessor)? {
        guard let first = specs.first else { return nil }
        return specs.dropFirst().reduce(first.processor) { $0.append(another: $1.processor) }
    }
}
