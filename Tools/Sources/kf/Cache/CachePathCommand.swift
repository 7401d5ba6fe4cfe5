import ArgumentParser
import Foundation
import Kingfisher

/// `kf cache path`.
struct CachePathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Prints the cached file of an image.",
        discussion: """
            Prints the file of the unprocessed image, or with --processor of the processed one. \
            --all prints every file of the image, one per line. Skips expired files.

            Examples:
              kf cache path https://example.com/photo.jpg
              kf cache path photo.jpg -p resize:300x --cache thumbnails
            """
    )

    @Argument(
        help: "A URL, a path, or a key as printed by `kf cache list`.",
        completion: .file()
    )
    var source: String

    @Option(
        name: [.customShort("p"), .customLong("processor")],
        parsing: .singleValue,
        help: ArgumentHelp("A step as in `kf get`; may be repeated.", valueName: "spec"),
        transform: ProcessorSpec.init
    )
    var processors: [ProcessorSpec] = []

    @Flag(help: "Print the files of the image with any processor.")
    var all = false

    @OptionGroup var options: CacheOptions

    func validate() throws {
        if all, !processors.isEmpty {
            throw ValidationError("--all and --processor cannot be combined")
        }
    }

    func run() async throws {
        try options.run { storage in
            let keys = self.keys
            var entries: [CacheEntryReport] = []
            var others = 0
            storage.forEachEntry { entry in
                // Without the path, whose making takes longer than the rest.
                let title = entry.key ?? entry.fileURL.lastPathComponent
                guard !entry.isExpired() else { return }
                if isWanted(title, among: keys) { entries.append(CacheEntryReport(entry)) }
                others += keys.contains { title.hasPrefix($0 + "@") } ? 1 : 0
            }
            guard entries.isEmpty else { return Result(entries: entries) }
            throw Failure(
                "nothing valid is cached for \(LibraryErrorText.shown(source))"
                    + (others > 0 ? ", but \(others) with other steps; --all prints them" : "")
            )
        }
    }

    /// The keys that the source may have: its text, and the key that `kf get` derives from it.
    private var keys: [String] {
        // A deleted file, or a text that is not a source, may still be a key.
        let own = (try? PictureSource(source)).flatMap { try? $0.key() }
        return [source] + (own.map { [$0] } ?? [])
    }

    private func isWanted(_ title: String, among keys: [String]) -> Bool {
        if all { return keys.contains { title == $0 || title.hasPrefix($0 + "@") } }
        guard let chain = ProcessorSpec.chain(processors) else { return keys.contains(title) }
        return keys.contains { key in
            guard title.hasPrefix(key + "@") else { return false }
            let identifier = title.dropFirst(key.count + 1)
            // For an animation, the processor's identifier contains that of the steps.
            return identifier == chain.identifier
                || (identifier.hasPrefix("com.onevcat.Kingfisher.AnimatedImageProcessor(")
                    && identifier.hasSuffix("_\(chain.identifier))"))
        }
    }

    struct Result: Report {
        let entries: [CacheEntryReport]

        func summary() -> String { entries.map(\.path).joined(separator: "\n") }
    }
}
