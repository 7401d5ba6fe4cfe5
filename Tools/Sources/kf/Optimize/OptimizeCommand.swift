import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

/// `kf optimize`: makes files smaller without changing a pixel.
struct OptimizeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "optimize",
        abstract: "Makes JPEG, PNG and GIF files smaller without changing a pixel.",
        discussion: """
            JPEGs get optimised Huffman codes and several scans, PNGs fewer channels, other filters \
            and the best compression, which takes seconds for a photograph, and GIFs only the \
            changes between frames. A file that would not become smaller is copied. Several files \
            need a folder, or --in-place; failures do not stop the others.

            \(NameTemplate.help) Other equal names are numbered: a.jpg, a-2.jpg.

            Examples:
              kf optimize photo.jpg -o smaller.jpg
              kf optimize pictures -o smaller/
              kf optimize --in-place --strip pictures
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Files, folders, and quoted patterns such as 'in/**/*.png'. Folders are searched for "
                + "JPEG, PNG and GIF files.",
            valueName: "input"
        ),
        completion: .file()
    )
    var files: [String] = []

    @OptionGroup var listing: InputOptions

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp(
            "Where to write: a file, a folder (dir/), or - for standard output.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(
        help: "Replace the files, which keep their owners, permissions, attributes and times."
    )
    var inPlace = false

    @Flag(
        help: ArgumentHelp(
            "Drop Exif, XMP, comments, texts and further images; colour profiles and orientations "
                + "stay."
        )
    )
    var strip = false

    @Flag(help: "Read the files in separate processes without access to files or the network.")
    var isolate = false

    @Option(
        help: ArgumentHelp(
            "The time limit of each file, which is then read as with --isolate. (default: none, or "
                + "300 with --isolate)",
            valueName: "seconds"
        )
    )
    var timeout: Double?

    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    /// The number of seconds that a pipe may be silent, or unread.
    private var patience: Double { timeout ?? 30 }

    /// The time limit of a separate process; nil without one.
    private var limit: Double? { timeout ?? (isolate ? 300 : nil) }

    func validate() throws {
        try listing.check(files, "files")
        for file in files { _ = try PictureSource(file) }
        if let timeout { try ReadOptions.check(timeout: timeout) }
        guard (output == nil) == inPlace else {
            throw ValidationError(
                inPlace
                    ? "-o and --in-place contradict each other"
                    : "name an output with -o, or replace the files with --in-place"
            )
        }
        if output == "-" && files.count > 1 {
            throw ValidationError("several files need a folder, which ends with a slash")
        }
    }

    func run() async throws {
        do {
            let failures = Failures()
            let sources = try sources(failures)
            let target = try inPlace ? nil : GetTarget(output, for: sources)
            try target?.prepare()
            // The message of the deadline here is the one that names the option.
            if let limit { ProcessIsolation.settings.timeLimit = .seconds(limit + 1) }
            let width = ProcessInfo.processInfo.activeProcessorCount
            await Batch.run(Array(sources.indices), width: width) { index in
                do {
                    let report = try await optimize(index, sources, target)
                    try out.print(report, toError: output == "-")
                    failures.addImage()
                } catch {
                    report(error, of: sources[index].text, failures)
                }
            }
            for line in failures.all { Terminal.note("kf: " + line, style: .red) }
            if output != "-" { try out.print(failures.summary, of: listing, files) }
            if !failures.all.isEmpty { throw ExitCode.failure }
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    private func report(_ error: any Error, of file: String, _ failures: Failures) {
        if output != "-" { out.printFailure(error, source: file) }
        failures.add(ErrorReport.line(for: error, source: file))
    }

    /// The files of all inputs; those that cannot be found or used are reported.
    private func sources(_ failures: Failures) throws -> [PictureSource] {
        let (sources, missing) = try listing.sources(
            of: listing.all(files),
            leavingOut: output,
            endings: ["jpg", "jpeg", "jpe", "png", "apng", "gif"]
        )
        for (input, error) in missing { report(error, of: input, failures) }
        return sources.filter { source in
            guard source.isWeb || inPlace && source.path == nil else { return true }
            let reason =
                source.isWeb
                ? "it is a URL, and kf optimize takes files; kf get URL -o FILE saves it as one"
                : "--in-place replaces files; name an output with -o instead"
            report(Failure(reason), of: source.text, failures)
            return false
        }
    }

    private func optimize(
        _ index: Int,
        _ sources: [PictureSource],
        _ target: GetTarget?
    ) async throws -> OptimizeReport {
        let file = sources[index].path ?? sources[index].title
        let bytes = try sources[index].bytes(patience: patience)
        guard let format = PictureFormat(bytes.kf.imageFormat),
            format == .jpeg || format == .png || format == .gif
        else { throw Failure(Self.refusal(of: bytes)) }
        if let named = try? target?.format(nil), named != format {
            throw Failure(
                "it is \(format.rawValue.uppercased()), and the output is named as "
                    + "\(named.rawValue.uppercased()); kf convert writes other formats"
            )
        }
        let smaller: Data
        do {
            smaller = try await optimized(bytes)
        } catch let error as ImageOptimization.Failure {
            throw Failure("it cannot be optimised: \(error.reason)")
        }
        let path = try target?.path(of: index, as: format, sources: sources)
        if let target {
            if let path {
                try target.write(smaller, to: path, patience: patience)
            } else if case .standardOutput = target {
                try Terminal.write(smaller)
            }
        } else if smaller != bytes {
            try AtomicFile.write(smaller, to: file, isInPlace: true)
        }
        let lost = strip ? ImageMetadata.bytesBehindImage(bytes) : 0
        if lost > 0, !out.quiet {
            let title = Terminal.line(file)
            Terminal.note("kf: \(title): \(Readable.removed(bytesBehindImage: lost))")
        }
        return OptimizeReport(
            source: file,
            output: path ?? output ?? file,
            sourceBytes: bytes.count,
            bytes: smaller.count
        )
    }

    /// What a file is instead of an image that can be optimised, and what to do.
    private static func refusal(of bytes: Data) -> String {
        let size = Readable.bytes(bytes.count)
        if bytes.isEmpty { return "it is empty; check the source" }
        if PDFDocumentInfo.isBeginning(ofDocument: bytes) || VideoInfo.isBeginning(ofVideo: bytes) {
            return "it is a document or a video; kf convert makes images of it"
        }
        guard let format = bytes.kf.imageFormat.name else {
            return "it is no image: its \(size) are of no known format; check the source"
        }
        return "it is \(format.uppercased()), and only JPEG, PNG and GIF are optimised; kf convert "
            + "writes other formats"
    }

    private func optimized(_ bytes: Data) async throws -> Data {
        guard let limit else {
            return try ImageOptimization.optimized(bytes, keepsMetadata: !strip)
        }
        return try await withDeadline(seconds: limit) {
            try await ImageOptimization.isolated(bytes, keepsMetadata: !strip)
        }
    }
}

/// The result for a file.
struct OptimizeReport: Report {
    let source: String
    let output: String
    /// Bytes.
    let sourceBytes: Int
    let bytes: Int

    func summary() -> String {
        let names = Terminal.line(source) + (output == source ? "" : " → " + Terminal.line(output))
        guard bytes < sourceBytes else {
            return "\(names): \(Readable.bytes(sourceBytes)), no smaller"
        }
        let share = String(format: "%.1f", 100 * Double(sourceBytes - bytes) / Double(sourceBytes))
        return
            "\(names): \(Readable.bytes(sourceBytes)) → \(Readable.bytes(bytes)), "
            + "\(share) % less"
    }
}
