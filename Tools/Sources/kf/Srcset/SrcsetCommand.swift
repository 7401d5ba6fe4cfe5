import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

/// `kf srcset`: writes one image in several sizes and formats, and the HTML that uses them.
struct SrcsetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "srcset",
        abstract: "Writes images in several widths and formats, with the HTML to use them.",
        discussion: """
            Prints a picture element for each image. Browsers take the first format that they \
            know, and the width that fits. Widths above that of the image are left out, and its \
            own takes the place of the first of them. The files have no metadata. Folders and \
            patterns stand for their images, as in kf convert.

            \(NameTemplate.help) Other equal names are numbered. Each ends with its width, as in \
            a-400.webp.

            Examples:
              kf srcset photo.jpg -o web
              kf srcset photos -o web --widths 400,800,1600 --formats webp,jpeg
            """
    )

    @Argument(
        help: ArgumentHelp(
            "URLs, paths, folders, quoted patterns, or - for standard input.",
            valueName: "source"
        ),
        completion: .file()
    )
    var inputs: [String] = []

    @OptionGroup var listing: InputOptions

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The output folder; created if missing.", valueName: "dir"),
        completion: .directory
    )
    var output: String

    @Option(
        help: ArgumentHelp(
            "Widths in pixels, 1 to 32767, separated by commas. (default: 400,800,1200)",
            valueName: "list"
        ),
        transform: Self.widths
    )
    var widths: [Int] = [400, 800, 1200]

    @Option(
        name: .customLong("formats"),
        help: ArgumentHelp(
            "Formats, separated by commas, the preferred one first: \(PictureFormat.names). "
                + "(default: avif,webp,jpeg)",
            valueName: "list"
        ),
        transform: CompareCommand.formats
    )
    var namedFormats: [PictureFormat]?

    private static let usualFormats: [PictureFormat] = [.avif, .webp, .jpeg]

    private var formats: [PictureFormat] {
        if lossless, namedFormats == nil { return [.webp, .png] }
        return namedFormats ?? Self.usualFormats.filter { $0.imageFormat.missingLibrary == nil }
    }

    @Option(
        help: ArgumentHelp(
            "The quality of lossy formats: 0 to 100. (default: 80)",
            valueName: "n"
        )
    )
    var quality: Int?

    @Flag(
        help: "Keep every pixel of each size. The formats are webp and png unless they are named."
    )
    var lossless = false

    @Option(help: ArgumentHelp("The attribute sizes of the HTML.", valueName: "text"))
    var sizes = "100vw"

    @Option(
        help: ArgumentHelp("Put in front of the file names in the HTML.", valueName: "url")
    )
    var base = ""

    @OptionGroup var loading: LoadOptions
    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        try listing.check(inputs, "images")
        for input in inputs { try loading.check(PictureSource(input)) }
        if let quality, !(0...100).contains(quality) {
            throw ValidationError("the quality must be from 0 to 100, not \(quality)")
        }
        if lossless, quality != nil {
            throw ValidationError("--lossless keeps every pixel; leave --quality out")
        }
        if lossless, let format = formats.first(where: { $0.losslessEncoding == nil }) {
            throw ValidationError(format.lossyAdvice)
        }
        if output.isEmpty { throw ValidationError("the output has no name") }
    }

    func run() async throws {
        let sources: [PictureSource]
        let missing: [(String, any Error)]
        do {
            (sources, missing) = try listing.sources(
                of: listing.all(inputs, patience: loading.timeout),
                leavingOut: output
            )
            for source in sources { try loading.check(source) }
            try AtomicFile.makeFolder(output)
            try AtomicFile.checkWritable(output)
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
        if namedFormats == nil, !lossless { PictureFormat.noteMissing(Self.usualFormats, out) }
        let failures = Failures()
        let report = { (error: any Error, text: String, title: String) in
            let line = ErrorReport.line(for: error, source: title)
            out.printFailure(error, source: text)
            failures.add(line)
            Terminal.note("kf: " + line, style: .red)
        }
        for (input, error) in missing { report(error, input, input) }
        let names = FolderNames(sources, nil, as: formats.first)
        for (index, source) in sources.enumerated() {
            do {
                try out.print(try await result(of: index, names, among: sources))
                failures.addImage()
            } catch {
                // Continue with the others.
                report(error, source.text, source.title)
            }
        }
        try out.print(failures.summary, of: listing, inputs)
        if !failures.all.isEmpty { throw ExitCode.failure }
    }

    // MARK: - Steps

    private func result(
        of index: Int,
        _ names: FolderNames,
        among sources: [PictureSource]
    ) async throws -> Result {
        let source = sources[index]
        // The cache keeps no full size for the sake of smaller ones.
        let whole = try await PictureLoad(source: source, loading: loading, processor: nil).run()
        let image = whole.result.image.firstFrame(of: source.title, out)
        let first = try formats.first.flatMap {
            try names.name(of: index, as: $0, size: nil, sources)
        }
        let stem = ((first ?? "image") as NSString).deletingPathExtension
        var files: [File] = []
        for width in Self.fitting(widths, to: image.pixelWidth) {
            let height = max(
                1,
                (image.pixelHeight * width + image.pixelWidth / 2) / image.pixelWidth
            )
            let size = CGSize(width: width, height: height)
            let small = image.pixelWidth == width ? image : image.kf.resize(to: size)
            for format in formats {
                let exact = lossless ? format.losslessEncoding : nil
                let encoding = exact ?? format.encoding(quality: CGFloat(quality ?? 80) / 100)
                let encoded = try await onThread(seconds: loading.timeout) {
                    encoding.data(of: small)
                }
                guard let data = encoded else { throw format.failure(of: small) }
                let name = "\(stem)-\(width).\(format.suffix)"
                let path = (output as NSString).appendingPathComponent(name)
                if let real = InputSearch.resolved(path),
                    sources.contains(where: { $0.path.flatMap(InputSearch.resolved) == real })
                {
                    throw Failure("\(path) is also a source; choose another folder")
                }
                try AtomicFile.write(data, to: path, below: output, patience: loading.timeout)
                files.append(
                    File(
                        name: name,
                        format: format,
                        width: width,
                        height: height,
                        bytes: data.count
                    )
                )
            }
        }
        return Result(source: source.text, files: files, html: html(files))
    }

    /// The widths in order, none above that of the image, which is the largest at most.
    static func fitting(_ widths: [Int], to own: Int) -> [Int] {
        let sorted = Set(widths).sorted()
        let smaller = sorted.filter { $0 < own }
        return smaller.count < sorted.count ? smaller + [own] : smaller
    }

    private func html(_ files: [File]) -> String {
        let list = { (format: PictureFormat) in
            files.filter { $0.format == format }
                .map { "\(address($0.name)) \($0.width)w" }.joined(separator: ", ")
        }
        let sizes = Self.escaped(sizes)
        var lines = ["<picture>"]
        for format in formats.dropLast() {
            lines.append(
                "  <source type=\"image/\(format.rawValue)\" srcset=\"\(list(format))\" "
                    + "sizes=\"\(sizes)\">"
            )
        }
        if let last = formats.last, let file = files.last(where: { $0.format == last }) {
            lines.append(
                "  <img src=\"\(address(file.name))\" srcset=\"\(list(last))\" sizes=\"\(sizes)\" "
                    + "width=\"\(file.width)\" height=\"\(file.height)\" loading=\"lazy\" alt=\"\">"
            )
        }
        return (lines + ["</picture>"]).joined(separator: "\n")
    }

    /// The address of a file in an attribute, where spaces and commas separate others, and a colon would
    /// end a scheme.
    private func address(_ name: String) -> String {
        let allowed = CharacterSet.urlPathAllowed.subtracting([",", "&", "'", ":"])
        let encoded = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
        let separators = CharacterSet.whitespacesAndNewlines.union([","])
        let base = base.addingPercentEncoding(withAllowedCharacters: separators.inverted) ?? base
        return Self.escaped(base) + encoded
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "\"", with: "&quot;")
            .replacingOccurrences(of: "<", with: "&lt;")
    }

    private static func widths(_ text: String) throws -> [Int] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            guard let width = Int(part), (1...32_767).contains(width) else {
                throw ValidationError(
                    "'\(part)' is no width; write numbers from 1 to 32767, as in 400,800,1200"
                )
            }
            return width
        }
    }

    /// One file.
    private struct File: Encodable {
        let name: String
        let format: PictureFormat
        let width: Int
        let height: Int
        let bytes: Int
    }

    /// The files of one image.
    private struct Result: Report {
        let source: String
        let files: [File]
        let html: String

        func summary() -> String { html }
    }
}

extension PictureFormat: Encodable {}
