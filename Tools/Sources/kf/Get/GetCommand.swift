import ArgumentParser
import Foundation
import Kingfisher

/// `kf get`: loads images through the whole pipeline.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Loads images, processes them, and writes them out.",
        discussion: """
            Without -o it only prints a report. A second load of an image from the network is \
            served from the cache, already processed. Several images need a folder for -o, in \
            which each gets the name of its source; failures do not stop the others, are listed at \
            the end, and the exit status is 1.

            Examples:
              kf get https://example.com/photo.jpg -p downsample:300x -o small.png
              kf get https://example.com/a.jpg https://example.com/b.jpg -o pictures/
              kf get photo.jpg -p smartcrop:400x400 -o - --format webp > face.webp
              kf get photo.jpg -p downsample:2000x -o smaller.jpg --keep exif,icc
              kf get https://example.com/film.mp4 --at 12.5 -o frame.jpg
              kf get film.mp4 --from 3 --to 6 --fps 12 -p resize:480x -o clip.webp

            \(EncodingOptions.steps)
            """
    )

    /// The number of images that are loaded at once.
    private static let width = 4

    @Argument(
        help: ArgumentHelp(
            "http, https, file or data URLs, paths, or - for standard input.",
            valueName: "source"
        ),
        completion: .file(),
        transform: { try PictureSource($0) }
    )
    var sources: [PictureSource]

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Where to write: a file, a folder (dir/), or - for standard output.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @OptionGroup var encoding: EncodingOptions
    @OptionGroup var loading: LoadOptions
    @OptionGroup var part: ClipOptions
    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    @Flag(help: "Show the progress of a download also with --json. Requires a terminal.")
    var progress = false

    func validate() throws {
        for source in sources { try loading.check(source) }
        try part.part.check(loading.pages)
        if case .file(let path) = try GetTarget(output, for: sources), encoding.format == nil {
            _ = try PictureFormat(ending: path)
        }
        if sources.filter({ $0.text == "-" }).count > 1 {
            throw ValidationError("standard input can be read once only")
        }
    }

    func run() async throws {
        do {
            let target = try GetTarget(output, for: sources)
            try target.prepare()
            if sources.count == 1 {
                try out.print(try await get(0, target), toError: output == "-")
            } else {
                try await getAll(target)
            }
        } catch {
            throw ErrorReport.exit(
                for: error,
                source: sources.count == 1 ? sources[0].title : nil,
                // Standard output may have the image.
                output == "-" ? nil : out
            )
        }
    }

    /// Loads several images, and reports each when it is done.
    private func getAll(_ target: GetTarget) async throws {
        let failures = Failures()
        let downloader = ImageDownloader(name: "kf")
        await Batch.run(Array(sources.indices), width: Self.width) { index in
            do {
                try out.print(try await get(index, target, downloader))
            } catch {
                out.printFailure(error, source: sources[index].text)
                failures.add(ErrorReport.line(for: error, source: sources[index].title))
            }
        }
        for line in failures.all { Terminal.note("kf: " + line, style: .red) }
        if !failures.all.isEmpty { throw ExitCode.failure }
    }

    // MARK: - Steps

    private func get(
        _ index: Int,
        _ target: GetTarget,
        _ downloader: ImageDownloader? = nil
    ) async throws -> LoadReport {
        let source = sources[index]
        let showsBar = sources.count == 1 && out.showsProgress && (progress || !out.json)
        let bar = showsBar ? ProgressBar() : nil
        defer { bar?.clear() }
        let named = try format(for: target)
        let load = PictureLoad(
            source: source,
            loading: loading,
            processor: encoding.processor(isWritten: output != nil, as: named),
            steps: encoding.processors,
            clip: part.clip,
            clipFormat: encoding.finalFormat(for: named)
        )
        let clock = ContinuousClock()
        let start = clock.now
        let loaded: PictureLoad.Loaded
        do {
            loaded = try await load.run(bar, downloader: downloader)
        } catch {
            throw await encoding.explained(error, isolates: loading.isolate)
        }
        let spent = start.duration(to: clock.now) / .seconds(1)
        // Encoding an animation may take longer than loading it.
        let beforeEncoding = clock.now
        let encoded = try await withDeadline(
            seconds: max(0.001, loading.timeout - spent),
            of: loading.timeout
        ) {
            try await encode(loaded, target)
        }
        let encodingTime = encoded.map { _ in beforeEncoding.duration(to: clock.now) }
        let written = try await write(encoded, of: loaded, index, target)
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
            output: written.output,
            truncated: loaded.result.isTruncated,
            timings: LoadReport.Timings(loaded.result.timings, encode: encodingTime)
        )
    }

    /// The format of the output; nil for the source's format, or without output.
    private func format(for target: GetTarget) throws -> PictureFormat? {
        if let format = encoding.format { return format }
        guard case .file(let path) = target else { return nil }
        return try PictureFormat(ending: path)
    }

    /// The properties of the written file, or of the loaded one without output.
    private struct Written {
        var format: PictureFormat?
        var bytes: Int
        /// Nil for the number of loaded frames.
        var frames: Int?
        var output: String?
    }

    /// The file to write.
    private struct Encoded: Sendable {
        var data: Data
        var format: PictureFormat
        /// Whether it is the source without its position.
        var lostPosition = false
        /// See ``EncodingOptions/Copy/lostBytes``.
        var lostBytes = 0
        /// Whether frames are left out, because the format holds one.
        var lostFrames = false
    }

    /// The file to write; nil without an output.
    private func encode(
        _ loaded: PictureLoad.Loaded,
        _ target: GetTarget
    ) async throws -> Encoded? {
        guard output != nil else { return nil }
        let loadedFormat = loaded.original.flatMap { PictureFormat($0.kf.imageFormat) }
        var named = try format(for: target)
        if named == nil { named = await loaded.sourceFormat() }
        let format = named ?? loadedFormat ?? .png
        // The pixels of a truncated file are not all there, but those of the result are.
        if format == loadedFormat, !loaded.result.isTruncated,
            let copy = try loaded.original.flatMap(encoding.copy)
        {
            return Encoded(
                data: copy.data,
                format: format,
                lostPosition: copy.lostPosition,
                lostBytes: copy.lostBytes
            )
        }
        let data = try await encoding.file(
            of: loaded.result.image,
            as: format,
            isolates: loading.isolate
        ) {
            guard let source = await loaded.source() else {
                throw Failure(
                    "the cache no longer has the source, whose metadata is to be kept; "
                        + "--force-refresh loads it again"
                )
            }
            return source
        }
        let lostFrames = format.droppedFrames(of: loaded.result.image) != nil
        return Encoded(data: data, format: format, lostFrames: lostFrames)
    }

    /// Writes the image if there is an output; otherwise only measures the loaded one.
    private func write(
        _ encoded: Encoded?,
        of loaded: PictureLoad.Loaded,
        _ index: Int,
        _ target: GetTarget
    ) async throws -> Written {
        guard let encoded else {
            let original = loaded.original
            return Written(
                format: original.flatMap { PictureFormat($0.kf.imageFormat) },
                bytes: original?.count ?? 0
            )
        }
        let title = Terminal.line(sources[index].title)
        if encoded.lostPosition, !out.quiet, !encoding.asksForPosition {
            Terminal.note("kf: \(title): removed where the photo was taken; --keep all keeps it")
        }
        if encoded.lostBytes > 0, !out.quiet {
            Terminal.note("kf: \(title): \(Readable.removed(bytesBehindImage: encoded.lostBytes))")
        }
        if encoded.lostFrames, !out.quiet {
            Terminal.note(
                "kf: \(title): kept only the first frame; --format webp, avif or gif keeps all frames, "
                    + "--frame takes another"
            )
        }
        let (data, format) = (encoded.data, encoded.format)
        let path = try target.path(of: index, as: format, sources: sources)
        if let path {
            try AtomicFile.write(data, to: path, patience: loading.timeout)
        } else {
            try Terminal.write(data)
        }
        // The file may be a copy of the source, or a worker's. Without a readable header the number
        // of loaded frames is reported.
        let frames = try? await ImageFileInfo.read(data, isolates: loading.isolate).frameCount
        return Written(
            format: format,
            bytes: data.count,
            frames: frames,
            output: path ?? output
        )
    }
}
