import ArgumentParser
import Foundation
import Kingfisher

/// `kf placeholder`: what to show until a picture is there.
struct PlaceholderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "placeholder",
        abstract: "Prints what stands for a picture until it is there.",
        discussion: """
            A ThumbHash in base64, a BlurHash, the dominant colour, and a data URL of the picture \
            in 16 pixels.
            """
    )

    @Argument(
        help: "An http, https, file or data URL, a path, or - for standard input.",
        transform: { text in (text, try PictureSource(text)) }
    )
    var source: (text: String, place: PictureSource)

    @Option(
        help: ArgumentHelp("The waves of the BlurHash across and down, 1 to 9.", valueName: "NxM"),
        transform: Self.components
    )
    var components: Components = Components(across: 4, down: 3)

    @Option(help: ArgumentHelp("The folder to keep the cache in.", valueName: "dir"))
    var cache: String?

    @Option(help: ArgumentHelp("How long the load may take at most.", valueName: "seconds"))
    var timeout = 30.0

    @Flag(help: "Print one line of JSON.")
    var json = false

    /// How many waves a BlurHash has.
    struct Components {
        let across: Int
        let down: Int
    }

    func validate() throws {
        if !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("the timeout is more than 0 and at most 86400 seconds")
        }
    }

    func run() async throws {
        do {
            let load = PictureLoad(
                place: source.place,
                cacheFolder: cache,
                timeout: timeout,
                // All that the hashes look at; a large picture never exists in full.
                processor: DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
            )
            let loaded = try await withDeadline(seconds: timeout) { try await load.run(nil) }
            let report = try PlaceholderReport(loaded.result.image, components)
            print(json ? try report.jsonLine() : report.summary())
        } catch {
            throw ErrorReport.exit(for: error)
        }
    }

    private static func components(_ text: String) throws -> Components {
        let parts = text.split(separator: "x", omittingEmptySubsequences: false)
        guard parts.count == 2, let across = Int(parts[0]), let down = Int(parts[1]),
            (1...9).contains(across), (1...9).contains(down)
        else { throw ValidationError("'\(text)' is no number of waves; write 4x3, each 1 to 9") }
        return Components(across: across, down: down)
    }
}
