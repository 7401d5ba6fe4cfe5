import ArgumentParser
import Foundation
import Kingfisher

/// `kf get`: loads one image through the whole pipeline.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Loads an image, processes it, and writes it out.",
        discussion: """
            Without -o it only prints a report. A second load of an image from the network is \
            served from the cache, already processed.

            Examples:
              kf get https://example.com/photo.jpg -p downsample:300x -o small.png
              kf get photo.jpg -p smartcrop:400x400 -o - --format webp > face.webp
              kf get photo.jpg -p downsample:2000x -o smaller.jpg --keep exif,icc

            \(EncodingOptions.steps)
            """
    )

    @Argument(
        help: "An http, https, file or data URL, a path, or - for standard input.",
        transform: { try PictureSource($0) }
    )
    var source: PictureSource

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Where to write the image; - is standard output.", valueName: "file")
    )
    var output: String?

    @OptionGroup var encoding: EncodingOptions
    @OptionGroup var loading: LoadOptions
    @OptionGroup var out: OutputOptions

    @Flag(help: "Show the progress of a download also with --json. Requires a terminal.")
    var progress = false

    func validate() throws {
        try loading.check(source)
        if output?.isEmpty == true { throw ValidationError("the output has no name") }
        _ = try outputFormat
    }

    func run() async throws {
        do {
            try out.print(try await get(), toError: output == "-")
        } catch {
            throw ErrorReport.exit(for: error, source: source.title)
        }
    }

    // MARK: - Steps

    private func get() async throws -> LoadReport {
        if let output, output != "-" { try AtomicFile.checkFolder(of: output) }
        let bar = out.showsProgress && (progress || !out.json) ? ProgressBar() : nil
        defer { bar?.clear() }
        let load = PictureLoad(
            source: source,
            loading: loading,
            processor: encoding.processor(isWritten: output != nil, as: try outputFormat)
        )
        let loaded = try await load.run(bar)
        let written = try write(loaded)
        out.detail("key \(loaded.result.originalSource.cacheKey)")
        if let processor = load.processor { out.detail("steps \(processor.identifier)") }
        return LoadReport(
            title: source.title,
            source: source.text,
            key: loaded.result.originalSource.cacheKey,
            cacheType: "\(loaded.result.cacheType)",
            format: written.format?.rawValue,
            width: loaded.result.image.pixelWidth,
            height: loaded.result.image.pixelHeight,
            frames: written.frames ?? loaded.result.image.kf.imageFrameCount ?? 1,
            bytes: written.bytes,
            output: output,
            timings: LoadReport.Timings(loaded.result.timings)
        )
    }

    /// The format of the output file; nil for the source's format, or without output.
    private var outputFormat: PictureFormat? {
        get throws {
            if let format = encoding.format { return format }
            return try output.flatMap { try PictureFormat(ending: $0) }
        }
    }

    /// The properties of the written file, or of the loaded one without output.
    private struct Written {
        var format: PictureFormat?
        var bytes: Int
        /// Nil for the number of loaded frames.
        var frames: Int?
    }

    /// Writes the image if there is an output; otherwise only measures the loaded one.
    private func write(_ loaded: PictureLoad.Loaded) throws -> Written {
        let original = loaded.original
        let loadedFormat = original.flatMap { PictureFormat($0.kf.imageFormat) }
        guard let output else { return Written(format: loadedFormat, bytes: original?.count ?? 0) }

        let target = try outputFormat ?? loaded.sourceFormat ?? loadedFormat ?? .png
        let data: Data
        if encoding.copiesFiles, target == loadedFormat, let original {
            data = original
        } else {
            data = try encoding.file(of: loaded.result.image, as: target) {
                guard let source = loaded.source() else {
                    throw Failure(
                        "the cache no longer has the source, whose metadata is to be kept; "
                            + "--force-refresh loads it again"
                    )
                }
                return source
            }
        }
        if output == "-" {
            try FileHandle.standardOutput.write(contentsOf: data)
        } else {
            try AtomicFile.write(data, to: output)
        }
        // Bytes that were just encoded have a readable header.
        let frames = (try? ImageFileInfo(data: data))?.frameCount
        return Written(format: target, bytes: data.count, frames: frames)
    }
}
