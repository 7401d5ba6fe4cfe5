import ArgumentParser
import Foundation
import Kingfisher

/// `kf placeholder`: prints placeholders for an image.
struct PlaceholderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "placeholder",
        abstract: "Prints placeholders to show while an image loads.",
        discussion: """
            Prints a ThumbHash in base64, a BlurHash, the dominant colour, and a data URL of a \
            thumbnail of 16 pixels.

            Examples:
              kf placeholder photo.jpg
              kf placeholder https://example.com/photo.jpg --components 5x4 --json
            """
    )

    @Argument(
        help: "An http, https, file or data URL, a path, or - for standard input.",
        completion: .file(),
        transform: { try PictureSource($0) }
    )
    var source: PictureSource

    @Option(
        help: ArgumentHelp(
            "Horizontal and vertical components of the BlurHash, 1 to 9. (default: 4x3)",
            valueName: "NxM"
        ),
        transform: Self.components
    )
    var components: Components = Components(across: 4, down: 3)

    @OptionGroup var loading: LoadOptions
    @OptionGroup var out: OutputOptions

    /// The number of cosines of a BlurHash.
    struct Components {
        let across: Int
        let down: Int
    }

    func validate() throws { try loading.check(source) }

    func run() async throws {
        do {
            let load = PictureLoad(
                source: source,
                loading: loading,
                // The hashes need no more pixels, and a large image never exists in full.
                processor: DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
            )
            let image = try await load.run().result.image
            try out.print(PlaceholderReport(image, of: source.text, components))
        } catch {
            throw ErrorReport.exit(for: error, source: source.title, out)
        }
    }

    private static func components(_ text: String) throws -> Components {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let across = Int(parts[0]), let down = Int(parts[1]),
            (1...9).contains(across), (1...9).contains(down)
        else {
            throw ValidationError("'\(text)' is not a number of components; write 4x3, each 1 to 9")
        }
        return Components(across: across, down: down)
    }
}
