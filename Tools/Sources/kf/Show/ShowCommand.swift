import ArgumentParser
import Foundation
import Kingfisher

/// `kf show`: draws an image in the terminal.
struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an image in the terminal.",
        discussion: """
            Uses the graphics protocol of terminals that have one (kitty, ghostty, WezTerm, \
            iTerm2, foot, mlterm), and coloured characters on others. The terminal is \
            detected from the environment; --protocol overrides that. With NO_COLOR it prints \
            letters. With --json it draws nothing and prints the method and the size instead. \
            Needs libchafa (package libchafa0), which draws.

            Examples:
              kf show photo.jpg
              kf show https://example.com/photo.jpg -p smartcrop:300x300 --width 40
            """
    )

    @Argument(
        help: "A URL, a path, or - for standard input.",
        completion: .file(),
        transform: { try PictureSource($0) }
    )
    var source: PictureSource

    @Option(help: ArgumentHelp("The maximum number of columns.", valueName: "columns"))
    var width: Int?

    @Option(
        name: .customLong("protocol"),
        help: "The protocol for drawing."
    )
    var style: TerminalDrawing = .auto

    @Option(
        name: [.customShort("p"), .customLong("processor")],
        parsing: .singleValue,
        help: ArgumentHelp("A step as in kf get; may be repeated.", valueName: "spec"),
        transform: ProcessorSpec.init
    )
    var processors: [ProcessorSpec] = []

    @OptionGroup var loading: LoadOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        try loading.check(source)
        if let width, !(1...1000).contains(width) {
            throw ValidationError("the width must be from 1 to 1000")
        }
    }

    func run() async throws {
        do {
            let environment = ProcessInfo.processInfo.environment
            let drawing = style.resolved(environment)
            let size = Terminal.size
            // Leave one row for the prompt.
            let box = (
                columns: max(1, width ?? size.columns),
                rows: max(1, width == nil ? size.rows - 1 : 1000)
            )
            let pixels = drawing.pixels(columns: box.columns, rows: box.rows)
            let fitting = DownsamplingFit(box: pixels)
            let load = PictureLoad(
                source: source,
                loading: loading,
                processor: ProcessorSpec.chain(processors)
                    .map { $0.append(another: fitting) } ?? fitting
            )
            let image = try await load.run().result.image
            guard !out.json else { return try out.print(Result(source, drawing, image)) }
            let data = try drawing.data(
                for: image,
                columns: box.columns,
                rows: box.rows,
                environment
            )
            try Terminal.write(data)
        } catch {
            throw ErrorReport.exit(for: error, source: source.title, out)
        }
    }

    /// The drawing that `--json` describes instead of making it.
    struct Result: Report {
        let source: String
        let style: String
        /// Of the image that is drawn, in pixels.
        let width: Int
        let height: Int

        init(
            _ source: PictureSource,
            _ drawing: TerminalDrawing,
            _ image: KFCrossPlatformImage
        ) {
            self.source = source.text
            style = drawing.rawValue
            width = image.pixelWidth
            height = image.pixelHeight
        }

        enum CodingKeys: String, CodingKey {
            case source, width, height
            case style = "protocol"
        }

        func summary() -> String { "\(style), \(width) × \(height) pixels" }
    }
}

/// Shrinks an image until it fits into a box, keeping its aspect ratio.
struct DownsamplingFit: ImageProcessor {
    let box: CGSize

    var identifier: String { "kf.DownsamplingFit(\(Int(box.width))x\(Int(box.height)))" }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let own: CGSize
        switch item {
        case .image(let image): own = CGSize(width: image.pixelWidth, height: image.pixelHeight)
        case .data(let data):
            // Without a header there is no image; the decoder reports the reason.
            guard let info = try? ImageFileInfo(of: data, options: options) else { return nil }
            own = info.size
        }
        let isSmaller = own.width <= box.width && own.height <= box.height
        let step: any ImageProcessor =
            isSmaller
            ? DefaultImageProcessor.default
            : ResizingImageProcessor(referenceSize: box, mode: .aspectFit)
        return step.process(item: item, options: options)
    }
}
