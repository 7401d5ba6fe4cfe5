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
            served from the cache, already processed. Several images need a folder for -o; failures \
            do not stop the others, are listed at the end, and the exit status is 1. Folders and \
            quoted patterns stand for their images, as in kf convert.

            \(NameTemplate.help) Other equal names are numbered: a.jpg, a-2.jpg. Without --name a \
            URL gives the name of its file alone.

            Examples:
              kf get https://example.com/photo.jpg -p downsample:300x -o small.png
              kf get https://example.com/a.jpg https://example.com/b.jpg -o pictures/
              kf get --from-file urls.txt -o pictures/ --retry 3 --skip-existing
              kf get photo.jpg -p smartcrop:400x400 -o - --format webp > face.webp
              kf get photo.jpg -p downsample:2000x -o smaller.jpg --keep exif,icc
              kf get https://example.com/film.mp4 --at 12.5 -o frame.jpg
              kf get film.mp4 --from 3 --to 6 --fps 12 -p resize:480x -o clip.webp

            \(EncodingOptions.help)
            """
    )

    /// The number of images that are loaded at once.
    private static let width = 4

    @Argument(
        help: ArgumentHelp(
            "http, https, file or data URLs, paths, folders, quoted patterns, or - for standard "
                + "input.",
            valueName: "source"
        ),
        completion: .file()
    )
    var inputs: [String] = []

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

    @Option(
        name: [.long, .customLong("output-template")],
        help: ArgumentHelp(
            "The names in the folder, as in kf convert; {dir} is the path of a URL without its file.",
            valueName: "template"
        ),
        transform: { try NameTemplate($0) }
    )
    var name: NameTemplate?

    @Flag(help: "Skip images whose output already exists.")
    var skipExisting = false

    @OptionGroup var encoding: EncodingOptions
    @OptionGroup var loading: LoadOptions
    @OptionGroup var retrying: RetryOptions
    @OptionGroup var part: ClipOptions
    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    @Flag(help: "Show the progress of a download also with --json. Requires a terminal.")
    var progress = false

    func validate() throws {
        try listing.check(inputs, "images")
        if inputs.filter({ $0 == "-" }).count > 1 {
            throw ValidationError("standard input can be read once only")
        }
        if output == nil || output == "-", skipExisting || name != nil {
            throw ValidationError("--skip-existing and --name need an output, -o")
        }
        try part.part.check(loading.pages)
        let sources = try inputs.map { try PictureSource($0) }
        // Those of files are checked when they are known.
        let isSearched = sources.contains { $0.path.map(InputSearch.isSearched) ?? false }
        if listing.fromFile == nil, !isSearched { _ = try target(for: sources) }
    }

    /// Checks the options with the sources.
    private func target(for sources: [PictureSource]) throws -> GetTarget {
        for source in sources { try loading.check(source) }
        let target = try GetTarget(
            output,
            for: sources,
            name: name,
            format: encoding.format
        )
        switch target {
        case .file(let path):
            if encoding.format == nil { _ = try PictureFormat(ending: path) }
            if name != nil { throw ValidationError("--name needs a folder for -o, such as dir/") }
        case .none, .standardOutput, .folder: break
        }
        return target
    }

    func run() async throws {
        var sources: [PictureSource] = []
        do {
            let missing: [(String, any Error)]
            (sources, missing) = try listing.sources(
                of: listing.all(inputs, patience: loading.timeout),
                leavingOut: output
            )
            let target = try target(for: sources)
            try target.prepare()
            if sources.count == 1, missing.isEmpty, !out.json || !listing.mayBeSeveral(inputs) {
                try await ImageGetter(command: self, sources: sources, target: target).get(0)
            } else {
                try await getAll(sources, target, missing)
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
    private func getAll(
        _ sources: [PictureSource],
        _ target: GetTarget,
        _ missing: [(String, any Error)]
    ) async throws {
        let failures = Failures()
        let getter = ImageGetter(
            command: self,
            sources: sources,
            target: target,
            downloader: ImageDownloader(name: "kf")
        )
        let report = { @Sendable (error: any Error, text: String, title: String) in
            if output != "-" { out.printFailure(error, source: text) }
            failures.add(ErrorReport.line(for: error, source: title))
        }
        for (input, error) in missing { report(error, input, input) }
        await Batch.run(Array(sources.indices), width: Self.width) { index in
            do {
                failures.addImage(isSkipped: try await !getter.get(index))
            } catch {
                report(error, sources[index].text, sources[index].title)
            }
        }
        for line in failures.all { Terminal.note("kf: " + line, style: .red) }
        if output != "-" { try out.print(failures.summary, of: listing, inputs) }
        if !failures.all.isEmpty { throw ExitCode.failure }
    }
}
