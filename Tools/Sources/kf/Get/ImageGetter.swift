import Foundation
import Kingfisher

/// Loads the images of `kf get`, and writes them.
struct ImageGetter: Sendable {
    let command: GetCommand
    let sources: [PictureSource]
    let target: GetTarget
    /// Shared by several loads; nil for one of each.
    var downloader: ImageDownloader?

    private var encoding: EncodingOptions { command.encoding }
    private var loading: LoadOptions { command.loading }
    private var out: OutputOptions { command.out }

    /// Loads an image, writes it, and prints the report.
    ///
    /// - Returns: False if its output was there.
    @discardableResult
    func get(_ index: Int) async throws -> Bool {
        if let path = try existingOutput(of: index) {
            try skip(index, path)
            return false
        }
        let source = sources[index]
        let showsBar =
            sources.count == 1 && out.showsProgress && (command.progress || !out.json)
        let bar = showsBar ? ProgressBar() : nil
        defer { bar?.clear() }
        var load = try PictureLoad(
            source: source,
            loading: loading,
            options: encoding.steps,
            target: target,
            clip: command.part.clip,
            isCopied: encoding.copiesFiles
        )
        load.further = command.retrying.options
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
            try await encode(loaded)
        }
        let encodingTime = encoded.map { _ in beforeEncoding.duration(to: clock.now) }
        guard let written = try await write(encoded, of: loaded, index) else {
            return false
        }
        out.detail("key \(loaded.result.originalSource.cacheKey)")
        if let processor = load.processor { out.detail("steps \(processor.identifier)") }
        let report = LoadReport(
            title: source.title,
            source: source.text,
            key: loaded.result.originalSource.cacheKey,
            cacheType: loaded.origin,
            format: written.format,
            width: loaded.result.image.pixelWidth,
            height: loaded.result.image.pixelHeight,
            frames: written.frames ?? loaded.result.image.kf.imageFrameCount ?? 1,
            bytes: written.bytes,
            output: written.output,
            truncated: loaded.result.isTruncated,
            timings: LoadReport.Timings(loaded.result.timings, encode: encodingTime)
        )
        try out.print(report, toError: command.output == "-")
        return true
    }

    /// The output of an image if it is to be skipped, as far as its name is known before it is loaded.
    private func existingOutput(of index: Int) throws -> String? {
        guard command.skipExisting else { return nil }
        let source = sources[index]
        let suffix = ((source.webURL?.path ?? source.path ?? "") as NSString).pathExtension
        guard
            let format = try target.format(encoding.format)
                ?? PictureFormat(name: suffix.lowercased()),
            let path = try target.path(of: index, as: format, sources: sources),
            OutputPlace.isTaken(path)
        else { return nil }
        return path
    }

    private func skip(_ index: Int, _ path: String) throws {
        let source = sources[index]
        try out.print(SkippedReport(title: source.title, source: source.text, output: path))
    }

    /// The properties of the written file, or of the source without output.
    private struct Written {
        var format: String?
        /// Nil if the source has no file of its own, or the cache has it no longer.
        var bytes: Int?
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
    private func encode(_ loaded: PictureLoad.Loaded) async throws -> Encoded? {
        guard command.output != nil else { return nil }
        let loadedFormat = loaded.original.flatMap { PictureFormat($0.kf.imageFormat) }
        var named = try target.format(encoding.format)
        if named == nil { named = await loaded.sourceFormat() }
        let format = named ?? loadedFormat ?? .png
        command.part.noteShortDelays(in: [format])
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
        // Of several outputs another may be of such a format.
        if !out.quiet, sources.count == 1 { encoding.noteUnused(by: [format]) }
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
        let dropped = await encoding.droppedFrames(
            of: loaded.result.image,
            from: loaded.source(),
            as: format,
            isolates: loading.isolate
        )
        return Encoded(data: data, format: format, lostFrames: dropped != nil)
    }

    /// Writes the image if there is an output; otherwise only measures its source.
    ///
    /// - Returns: What was written or measured; nil if the image was skipped.
    private func write(
        _ encoded: Encoded?,
        of loaded: PictureLoad.Loaded,
        _ index: Int
    ) async throws -> Written? {
        guard let encoded else {
            guard !loaded.isPart else { return Written() }
            let source = await loaded.source()
            return Written(
                format: source?.kf.imageFormat.name,
                bytes: source?.count
            )
        }
        let (data, format) = (encoded.data, encoded.format)
        let image = loaded.result.image
        let path = try target.path(
            of: index,
            as: format,
            size: (image.pixelWidth, image.pixelHeight),
            sources: sources
        )
        if let path, command.skipExisting, OutputPlace.isTaken(path) {
            try skip(index, path)
            return nil
        }
        note(encoded, sources[index].title)
        if let path {
            try target.write(data, to: path, patience: loading.timeout)
        } else {
            try Terminal.write(data)
        }
        // The file may be a copy of the source, or a worker's. Without a readable header the number
        // of loaded frames is reported.
        let frames = try? await ImageFileInfo.read(data, isolates: loading.isolate).frameCount
        return Written(
            format: format.rawValue,
            bytes: data.count,
            frames: frames,
            output: path ?? command.output
        )
    }

    /// Says what the file lacks of its source.
    private func note(_ encoded: Encoded, _ title: String) {
        let title = Terminal.line(title)
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
    }
}

/// The report of `kf get` about an image whose output is there.
struct SkippedReport: Report {
    /// The source for messages.
    let title: String
    /// The source as it was given.
    let source: String
    let output: String

    private enum CodingKeys: CodingKey {
        case source, output
    }

    func summary() -> String { "\(title) → \(Terminal.line(output)): already there" }

    var lineStatus: String { "skipped" }
}
