import ArgumentParser
import Foundation
import Kingfisher

/// The options for the result of a load, on which its key in the cache depends.
struct StepOptions: ParsableArguments {
    @Option(
        name: [.customShort("p"), .customLong("processor")],
        parsing: .singleValue,
        help: ArgumentHelp(
            "A step to apply; may be repeated, in order. Steps are listed above.",
            valueName: "spec"
        ),
        completion: ProcessorSpec.completion,
        transform: ProcessorSpec.init
    )
    var processors: [ProcessorSpec] = []

    @Option(
        help: ArgumentHelp(
            "The format to write: \(PictureFormat.names). By default that of the output's "
                + "suffix, or else the source's.",
            valueName: "f"
        ),
        completion: .list(PictureFormat.allCases.map(\.rawValue)),
        transform: Self.format
    )
    var format: PictureFormat?

    @Option(
        help: ArgumentHelp("The quality of lossy formats: 0 to 100. (default: 90)", valueName: "n")
    )
    var quality: Int?

    @Option(
        help: ArgumentHelp(
            "The frame of an animation to write, from 1. (default: all if the format holds "
                + "animations, else the first)",
            valueName: "n"
        )
    )
    var frame: Int?

    func validate() throws {
        if let quality, !(0...100).contains(quality) {
            throw ValidationError("the quality must be from 0 to 100, not \(quality)")
        }
        if let frame, !(1...100_000).contains(frame) {
            throw ValidationError("frames are numbered from 1 to 100000")
        }
    }

    /// Whether a file that has the target format need not be encoded for them.
    var keepFiles: Bool { processors.isEmpty && quality == nil && frame == nil }

    /// 0 to 1, for lossy formats.
    var compressionQuality: CGFloat { CGFloat(quality ?? 90) / 100 }

    /// The steps as one processor, applied to every frame if the output format holds animations.
    ///
    /// - Parameters:
    ///   - isWritten: Whether a file is written.
    ///   - target: Its format; nil for the source's.
    /// - Returns: The processor; nil without steps.
    func processor(isWritten: Bool, as target: PictureFormat?) -> (any ImageProcessor)? {
        let chain = ProcessorSpec.chain(processors)
        if let frame {
            let first = FrameProcessor(number: frame)
            return chain.map { first.append(another: $0) } ?? first
        }
        guard let chain, isWritten, target?.holdsAnimations != false else { return chain }
        return AnimatedImageProcessor(
            chain,
            format: target?.imageFormat,
            compressionQuality: compressionQuality
        )
    }

    private static func format(_ name: String) throws -> PictureFormat {
        guard let format = PictureFormat(name: name) else {
            throw ValidationError("unknown format '\(name)'; choose from \(PictureFormat.names)")
        }
        return format
    }
}
