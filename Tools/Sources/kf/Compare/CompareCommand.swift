import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

/// `kf compare`: encodes one image in several formats and qualities.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Writes one image in several formats and qualities, and compares size and loss.",
        discussion: """
            Writes no files; the table shows the cost of each choice. PSNR (dB, higher is better) \
            and DSSIM (lower is better) are measured against the loaded image after the steps. Of \
            an animation only the first frame counts, unless every format holds animations. \
            --timeout limits the load, and each encoding.

            Examples:
              kf compare photo.jpg -p resize:1200x
              kf compare photo.jpg --formats webp,avif --qualities 40,60,80
            """
    )

    @Argument(
        help: "A URL, a path, or - for standard input.",
        completion: .file(),
        transform: { try PictureSource($0) }
    )
    var source: PictureSource

    @Option(
        name: .customLong("formats"),
        help: ArgumentHelp(
            "Formats, separated by commas: \(PictureFormat.names). (default: jpeg,webp,avif,png)",
            valueName: "list"
        ),
        transform: Self.formats
    )
    var namedFormats: [PictureFormat]?

    private static let usualFormats: [PictureFormat] = [.jpeg, .webp, .avif, .png]

    private var formats: [PictureFormat] {
        namedFormats ?? Self.usualFormats.filter { $0.imageFormat.missingLibrary == nil }
    }

    @Option(
        help: ArgumentHelp(
            "Qualities from 0 to 100, separated by commas. (default: 50,75,90)",
            valueName: "list"
        ),
        transform: Self.qualities
    )
    var qualities: [Int] = [50, 75, 90]

    @Option(
        name: [.customShort("p"), .customLong("processor")],
        parsing: .singleValue,
        help: ArgumentHelp("A step to apply first, as in kf get.", valueName: "spec"),
        transform: ProcessorSpec.init
    )
    var processors: [ProcessorSpec] = []

    @OptionGroup var loading: LoadOptions
    @OptionGroup var out: OutputOptions

    func validate() throws { try loading.check(source) }

    func run() async throws {
        do {
            let load = PictureLoad(
                source: source,
                loading: loading,
                processor: ProcessorSpec.chain(processors)
            )
            let loaded = try await load.run().result.image
            let holdsFrames = formats.allSatisfy(\.holdsAnimations)
            let image = holdsFrames ? loaded : loaded.firstFrame(of: source.title, out)
            if namedFormats == nil { PictureFormat.noteMissing(Self.usualFormats, out) }
            var rows: [Row] = []
            for (format, quality) in choices {
                Terminal.showStatus(out.showsProgress ? "  \(format.rawValue) …" : "")
                rows.append(
                    try await onThread(seconds: loading.timeout) {
                        try Self.row(image, format, quality)
                    }
                )
            }
            Terminal.showStatus("")
            try out.print(
                Result(
                    title: source.title,
                    source: source.text,
                    width: image.pixelWidth,
                    height: image.pixelHeight,
                    rows: rows
                )
            )
        } catch {
            throw ErrorReport.exit(for: error, source: source.title, out)
        }
    }

    /// Every format with every quality; lossless formats once.
    private var choices: [(PictureFormat, Int?)] {
        formats.flatMap { format -> [(PictureFormat, Int?)] in
            format == .png || format == .gif ? [(format, nil)] : qualities.map { (format, $0) }
        }
    }

    private static func row(
        _ image: KFCrossPlatformImage,
        _ format: PictureFormat,
        _ quality: Int?
    ) throws -> Row {
        let start = ContinuousClock.now
        let compression = CGFloat(quality ?? 100) / 100
        // Encoded here, even if the image is an animation with a file of the format: the file may be
        // for a worker process to decode.
        let data =
            format.holdsAnimations
            ? image.kf.animationRepresentation(
                format: format.imageFormat,
                compressionQuality: compression
            )
            : format.encoding(quality: compression).data(of: image)
        let time = start.duration(to: .now)
        guard let data, let decoded = KFCrossPlatformImage(data: data) else {
            throw format.failure(of: image)
        }
        let difference = try ImageDifference(image, decoded)
        return Row(
            format: format.rawValue,
            quality: quality,
            bytes: data.count,
            psnr: difference.psnr.isFinite ? difference.psnr : nil,
            dssim: difference.dssim,
            milliseconds: LoadReport.Timings.milliseconds(time)
        )
    }

    static func formats(_ text: String) throws -> [PictureFormat] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map {
            guard let format = PictureFormat(name: String($0)) else {
                throw ValidationError("unknown format '\($0)'; choose from \(PictureFormat.names)")
            }
            return format
        }
        .withoutRepeats
    }

    private static func qualities(_ text: String) throws -> [Int] {
        try text.split(separator: ",", omittingEmptySubsequences: false).map {
            guard let quality = Int($0), (0...100).contains(quality) else {
                throw ValidationError("'\($0)' is not a quality from 0 to 100")
            }
            return quality
        }
        .withoutRepeats
    }

    struct Row: Encodable {
        let format: String
        let quality: Int?
        let bytes: Int
        let psnr: Double?
        let dssim: Double
        let milliseconds: Double

        enum CodingKeys: CodingKey {
            case format, quality, bytes, psnr, dssim, milliseconds
        }

        // Not synthesized: the synthesized method omits nil.
        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(format, forKey: .format)
            try values.encode(quality, forKey: .quality)
            try values.encode(bytes, forKey: .bytes)
            try values.encode(psnr, forKey: .psnr)
            try values.encode(dssim, forKey: .dssim)
            try values.encode(milliseconds, forKey: .milliseconds)
        }
    }

    struct Result: Report {
        let title: String
        let source: String
        let width: Int
        let height: Int
        let rows: [Row]

        enum CodingKeys: CodingKey {
            case source, width, height, rows
        }

        func summary() -> String {
            let cells = rows.map { row in
                [
                    Readable.bytes(row.bytes), row.format, row.quality.map { "\($0)" } ?? "-",
                    row.psnr.map { String(format: "%.1f dB", $0) } ?? "equal",
                    String(format: "%.5f", row.dssim), Readable.milliseconds(row.milliseconds),
                ]
            }
            let head = ["size", "format", "quality", "PSNR", "DSSIM", "time to write"]
            return (["\(title), \(width) × \(height) pixels"] + Table.lines([head] + cells))
                .joined(separator: "\n")
        }
    }
}
