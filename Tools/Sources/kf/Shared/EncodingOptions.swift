import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

/// The options for processing and encoding an image.
struct EncodingOptions: ParsableArguments {
    @OptionGroup var steps: StepOptions

    @Option(
        help: ArgumentHelp(
            "The most bytes of the file, such as 100kB or 1.5MB: the highest quality up to --quality "
                + "that is not larger, with all that --keep names. For lossy formats.",
            valueName: "bytes"
        ),
        transform: { try TargetSize($0) }
    )
    var targetSize: TargetSize?

    @Flag(help: "Write JPEGs in one scan. By default they are progressive, and smaller.")
    var baseline = false

    @Flag(help: "Keep every pixel: lossless webp, avif or jxl. PNGs always are.")
    var lossless = false

    @Option(
        help: ArgumentHelp(
            "The most colours of a PNG, unless it is smaller with all: 2 to 256. (default: all)",
            valueName: "n"
        )
    )
    var colors: Int?

    @Option(
        help: ArgumentHelp(
            "What a file keeps of its source: exif, xmp, iptc, copyright (only the names of "
                + "author and owner), date (when a photo was taken), gps (where, in exif and xmp) "
                + "and icc, with commas between them, all that the format holds, or none. Colours "
                + "are always those of sRGB, so icc gives an encoded file whose source has a "
                + "profile that of sRGB. (default: none; a file that needs no encoding is copied "
                + "with everything but gps)",
            valueName: "list"
        ),
        completion: .list(MetadataChoice.words),
        transform: { try MetadataChoice($0) }
    )
    var keep: MetadataChoice?

    @Option(
        help: ArgumentHelp(
            "What a file loses: gps, or all but what --keep names. Files that need no encoding keep "
                + "their pixels, profile and orientation as they are; where that is impossible "
                + "they are encoded for it.",
            valueName: "gps|all"
        )
    )
    var strip: StripChoice?

    func validate() throws {
        if strip == .all, keep == .all {
            throw ValidationError("--strip all and --keep all contradict each other")
        }
        if lossless, quality != nil || targetSize != nil || colors != nil {
            throw ValidationError(
                "--lossless keeps every pixel; leave --quality, --target-size and --colors out"
            )
        }
        if let colors, !(2...256).contains(colors) {
            throw ValidationError("the number of colours must be from 2 to 256, not \(colors)")
        }
    }

    var processors: [ProcessorSpec] { steps.processors }
    var format: PictureFormat? { steps.format }
    var quality: Int? { steps.quality }
    var frame: Int? { steps.frame }

    /// What encoded files keep.
    private var kept: MetadataChoice {
        let kept = keep ?? []
        return strip == .gps ? kept.subtracting(.gps) : kept
    }

    /// Whether a file that has the target format is copied instead of encoded.
    var copiesFiles: Bool {
        steps.keepFiles && colors == nil && targetSize == nil && !baseline
    }

    /// The format of an animation that need not be encoded again for a target; nil if it has to be.
    func finalFormat(for target: PictureFormat?) -> PictureFormat? {
        target?.holdsAnimations == true && copiesFiles ? target : nil
    }

    /// The error of a load, or a better one if the image has too few frames.
    func explained(_ error: any Error, isolates: Bool) async -> any Error {
        guard let frame,
            case KingfisherError.processorError(
                reason: .processingFailed(_, .data(let data))
            ) = error,
            let count = try? await ImageFileInfo.read(data, isolates: isolates).frameCount,
            count < frame
        else { return error }
        return Failure(
            "there is no frame \(frame): the image has "
                + (count == 1
                    ? "one; --page takes a page of a document, --at a frame of a video"
                    : "\(count)")
        )
    }

    /// Whether the command line says what happens to the position.
    var asksForPosition: Bool { strip != nil || keep != nil }

    /// A file that was copied without encoding.
    struct Copy {
        var data: Data
        /// Whether the place where the photograph was taken was removed from it.
        var lostPosition = false
        /// The bytes of further images, a map of light or a film that were removed.
        var lostBytes = 0
    }

    /// A file of the target format as it is, without the metadata that is to be removed.
    ///
    /// - Returns: The file; nil if it has to be encoded, which leaves out what cannot be removed.
    /// - Throws: An `ImageMetadata.Failure` if the file is damaged.
    func copy(of file: Data) throws -> Copy? {
        guard copiesFiles else { return nil }
        if keep == .all, strip == nil { return Copy(data: file) }
        do {
            guard strip == .all || keep.map({ $0 != .all }) == true else {
                let data = try ImageMetadata.withoutPosition(file)
                return Copy(data: data ?? file, lostPosition: data != nil)
            }
            return Copy(
                data: try ImageMetadata.reduced(file, to: kept.kept),
                lostBytes: ImageMetadata.bytesBehindImage(file)
            )
        } catch {
            guard case ImageMetadata.Failure.unsupportedSource = error else { throw error }
            return nil
        }
    }

    /// Prints a note about options that change no file of these formats.
    func noteUnused(by formats: [PictureFormat]) {
        if quality != nil, !formats.contains(where: \.isLossy) {
            Terminal.note("kf: --quality is for lossy formats, and no output has one")
        }
        if baseline, !formats.contains(.jpeg) {
            Terminal.note("kf: --baseline is for jpeg, and no output is one")
        }
    }

    /// Encodes an image, with the metadata of its source that is to be kept.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - target: The format to write.
    ///   - isolates: Whether C libraries read the source in a worker process only.
    ///   - source: Reads the file that the image was made from; nil for an image that was drawn.
    /// - Returns: The file.
    /// - Throws: A ``Failure`` if the format cannot hold the image, an `ImageMetadata.Failure` if it
    ///   cannot hold the metadata, and the error of `source`.
    func file(
        of image: KFCrossPlatformImage,
        as target: PictureFormat,
        isolates: Bool,
        source: (() async throws -> Data)?
    ) async throws -> Data {
        if colors != nil, target != .png {
            throw Failure("--colors is for png, not for \(target.rawValue); leave it out")
        }
        if targetSize != nil, !target.isLossy {
            throw Failure("--target-size is for lossy formats, not for \(target.rawValue)")
        }
        let exact = lossless ? target.losslessEncoding : nil
        if lossless, exact == nil { throw Failure(target.lossyAdvice) }
        if lossless, !processors.isEmpty, frame == nil, image.kf.imageFrameCount ?? 1 > 1 {
            throw Failure(
                "--lossless with --processor is for stills; choose one with --frame, or leave one "
                    + "of them out"
            )
        }
        let metadata = try await metadata(of: source, for: target, isolates: isolates)
        let file = try await onThread { () throws -> Data? in
            let written = { (data: Data?) throws -> Data? in
                try data.map { try add(metadata, to: $0, target) }
            }
            if let exact { return try written(exact.data(of: image)) }
            guard let targetSize else {
                return try written(encode(image, as: target, quality: steps.compressionQuality))
            }
            return try targetSize.file(upTo: quality ?? 90, hasMetadata: !metadata.isEmpty) {
                try written(encode(image, as: target, quality: CGFloat($0) / 100))
            }
        }
        guard let file else {
            throw target.failure(of: image)
        }
        if target == .avif, image.kf.imageFrameCount ?? 1 > 1, let source,
            // A source that is gone, or has no readable header, states no rounds.
            let header = try? await ImageFileInfo.read(await source(), isolates: isolates)
        {
            await AnimationRounds.note(header.loopCount, of: file, isolates: isolates)
        }
        return file
    }

    /// The metadata of the source to add.
    private func metadata(
        of source: (() async throws -> Data)?,
        for target: PictureFormat,
        isolates: Bool
    ) async throws -> ImageMetadata {
        guard !kept.isEmpty, let source else { return ImageMetadata() }
        return try await kept.metadata(of: await source(), for: target, isolates: isolates)
    }

    private func add(
        _ metadata: ImageMetadata,
        to file: Data,
        _ target: PictureFormat
    ) throws -> Data {
        keep == .all
            ? try metadata.addedWhereSupported(to: file, target) : try metadata.added(to: file)
    }

    /// The number of a source's frames that are not written, although none was chosen.
    ///
    /// - Parameters:
    ///   - image: The image that was made of it.
    ///   - source: The file; nil for an image that was drawn.
    ///   - target: The format that is written.
    ///   - isolates: Whether C libraries read the source in a worker process only.
    /// - Returns: The number; nil if all are written.
    func droppedFrames(
        of image: KFCrossPlatformImage,
        from source: Data?,
        as target: PictureFormat,
        isolates: Bool
    ) async -> Int? {
        if let dropped = target.droppedFrames(of: image) { return dropped }
        // A step makes a still image of the first frame, which knows no others.
        guard !target.holdsAnimations, !processors.isEmpty, frame == nil, let source,
            // The load has read the header.
            let info = try? await ImageFileInfo.read(source, isolates: isolates),
            let count = info.frameCount, count > 1
        else { return nil }
        return count - 1
    }

    /// Encodes an image; nil if the format cannot hold it.
    private func encode(
        _ image: KFCrossPlatformImage,
        as target: PictureFormat,
        quality level: CGFloat
    ) -> Data? {
        // A processor has already encoded the animation with the requested quality. Without one the
        // bytes are the source's, with its metadata.
        if !processors.isEmpty, targetSize == nil, colors == nil,
            let own = image.kf.gifRepresentation(), own.kf.imageFormat == target.imageFormat
        {
            return own
        }
        if target.holdsAnimations {
            return image.kf.animationRepresentation(
                format: target.imageFormat,
                compressionQuality: level
            )
        }
        let encoding =
            colors.map { .png(maxColorCount: $0) }
            ?? target.encoding(quality: level, isBaseline: baseline)
        return encoding.data(of: image)
    }

    /// The list of steps for the help of a command.
    static let help = """
        Steps for --processor. Sizes are in pixels: 300x200, one side (300x or x200), or a \
        percentage (50%). Colours are #rrggbb, #rrggbbaa or names like white, positions X,Y \
        from 0,0 (top left) to 1,1. downsample never enlarges an image, resize does: fit stays \
        within the size, fill covers it and may be larger on one side, none distorts. crop does \
        not scale; smartcrop scales first, and keeps the part with the most detail:

        \(ProcessorForm.all.map { "  " + $0.help }.joined(separator: "\n"))
        """
}
