import ArgumentParser
import Foundation
import Kingfisher

/// `kf get`: one picture through the whole pipeline.
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Loads a picture, processes it, and writes it out.",
        discussion: """
            Without -o it only says what it found. What was loaded once comes from the cache the \
            next time, already processed.

            The steps for --processor; sizes are in pixels, colours are written #rrggbb or \
            #rrggbbaa, places X,Y from 0,0 (top left) to 1,1:

            \(ProcessorForm.all.map { "  " + $0.form }.joined(separator: "\n"))
            """
    )

    @Argument(
        help: "An http, https, file or data URL, a path, or - for standard input.",
        transform: { text in (text, try PictureSource(text)) }
    )
    var source: (text: String, place: PictureSource)

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Where to write the picture; - is standard output.", valueName: "file")
    )
    var output: String?

    @Option(
        name: .customLong("processor"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "A step to apply, in the order given; may be repeated. Steps are listed above.",
            valueName: "spec"
        ),
        transform: ProcessorSpec.init
    )
    var processors: [ProcessorSpec] = []

    @Option(
        help: ArgumentHelp(
            "The format to write: \(PictureFormat.names). Told by the file's name otherwise.",
            valueName: "f"
        ),
        transform: Self.format
    )
    var format: PictureFormat?

    @Option(help: ArgumentHelp("For formats that lose detail: 0 to 100.", valueName: "0…100"))
    var quality: Int?

    @Option(help: ArgumentHelp("The folder to keep the cache in.", valueName: "dir"))
    var cache: String?

    @Flag(help: "Load from the source, whatever the cache has.")
    var forceRefresh = false

    @Flag(help: "Fail rather than load from the source.")
    var onlyFromCache = false

    @Option(help: ArgumentHelp("How long the load may take at most.", valueName: "seconds"))
    var timeout = 30.0

    @Option(
        name: .customLong("header"),
        parsing: .singleValue,
        help: ArgumentHelp("A header to send, for example 'Accept: image/*'.", valueName: "header"),
        transform: RequestHeader.init
    )
    var headers: [RequestHeader] = []

    @Flag(help: "Print one line of JSON instead of the summary.")
    var json = false

    @Flag(help: "Show how the bytes come in, on standard error.")
    var progress = false

    func validate() throws {
        if let quality, !(0...100).contains(quality) {
            throw ValidationError("the quality is 0 to 100, not \(quality)")
        }
        if !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("the timeout is more than 0 and at most 86400 seconds")
        }
        if forceRefresh, onlyFromCache {
            throw ValidationError("--force-refresh and --only-from-cache exclude each other")
        }
        if onlyFromCache, !source.place.isCacheable {
            throw ValidationError("\(source.text.prefix(5)) is never cached")
        }
        if !headers.isEmpty, case .web = source.place {
        } else if !headers.isEmpty {
            throw ValidationError("--header is for http and https sources")
        }
        if output?.isEmpty == true { throw ValidationError("the output has no name") }
        if format == nil, let output, let suffix = Self.suffix(of: output),
            PictureFormat(name: suffix) == nil
        {
            throw ValidationError(
                "cannot tell a format from '.\(suffix)'; name one with --format: "
                    + PictureFormat.names
            )
        }
    }

    func run() async throws {
        do {
            let report = try await get()
            // The picture has standard output to itself.
            let text = json ? try report.jsonLine() : report.summary()
            if output == "-" { StandardError.write(text) } else { print(text) }
        } catch {
            throw ErrorReport.exit(for: error)
        }
    }

    // MARK: - Steps

    private func get() async throws -> LoadReport {
        if let output, output != "-" { try AtomicFile.checkFolder(of: output) }
        let load = PictureLoad(self)
        let bar = progress || (StandardError.isTerminal && !json) ? ProgressBar() : nil
        defer { bar?.clear() }
        let loaded = try await withDeadline(seconds: timeout) { try await load.run(bar) }
        let written = try write(loaded)
        return LoadReport(
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

    /// The format of the file to be written; nil when that is the source's, or nothing is written.
    var outputFormat: PictureFormat? {
        format ?? output.flatMap(Self.suffix).flatMap(PictureFormat.init(name:))
    }

    /// 0 to 1, for formats that lose detail.
    var compressionQuality: CGFloat { CGFloat(quality ?? 90) / 100 }

    /// What was written, or would be.
    private struct Written {
        var format: PictureFormat?
        var bytes: Int
        /// Nil for as many as were loaded.
        var frames: Int?
    }

    /// Writes the picture, if that was asked for; otherwise only measures what was loaded.
    private func write(_ loaded: PictureLoad.Loaded) throws -> Written {
        let original = loaded.original
        let loadedFormat = original.flatMap { PictureFormat($0.kf.imageFormat) }
        guard let output else { return Written(format: loadedFormat, bytes: original?.count ?? 0) }

        let target = outputFormat ?? loadedFormat ?? .png
        let data: Data
        if processors.isEmpty, quality == nil, target == loadedFormat, let original {
            // Nothing is asked for that would need the bytes made again.
            data = original
        } else {
            guard let encoded = encode(loaded.result.image, as: target) else {
                throw Failure("cannot write this picture as \(target.rawValue)")
            }
            data = encoded
        }
        if output == "-" {
            try FileHandle.standardOutput.write(contentsOf: data)
        } else {
            try AtomicFile.write(data, to: output)
        }
        // What was just encoded can be read.
        let frames = (try? ImageFileInfo(data: data))?.frameCount
        return Written(format: target, bytes: data.count, frames: frames)
    }

    private func encode(_ image: KFCrossPlatformImage, as target: PictureFormat) -> Data? {
        let own = image.kf.gifRepresentation()?.kf.imageFormat
        // A processor has encoded an animation with the wanted quality already.
        let isDone = own == target.imageFormat && (quality == nil || !processors.isEmpty)
        if target.holdsAnimations, !isDone {
            return image.kf.animationRepresentation(
                format: target.imageFormat,
                compressionQuality: compressionQuality
            )
        }
        return image.kf.data(
            format: target.imageFormat,
            compressionQuality: compressionQuality
        )
    }

    private static func format(_ name: String) throws -> PictureFormat {
        guard let format = PictureFormat(name: name) else {
            throw ValidationError("unknown format '\(name)'; there are: \(PictureFormat.names)")
        }
        return format
    }

    /// What comes after the last dot of a file's name; nil for none.
    private static func suffix(of path: String) -> String? {
        let suffix = (path as NSString).pathExtension
        return suffix.isEmpty || path == "-" ? nil : suffix
    }
}

/// A header as it is written on the command line.
struct RequestHeader: Sendable {
    let name: String
    let value: String

    /// Reads `Name: value`.
    init(_ text: String) throws {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        // The characters of a token, RFC 9110, 5.6.2.
        let marks = "!#$%&'*+-.^_`|~"
        let isToken = name.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0))
        }
        guard parts.count == 2, !name.isEmpty, isToken, !text.contains(where: \.isNewline) else {
            throw ValidationError("'\(text)' is no header; write 'Name: value'")
        }
        self.name = name
        value = parts[1].trimmingCharacters(in: .whitespaces)
    }
}
