import ArgumentParser
import Foundation
import Kingfisher

/// `kf trace`: records the stages of loads.
struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Loads images and records each stage for a trace viewer or as an HTML page.",
        discussion: """
            Without --html it writes a Chrome trace: open it in https://ui.perfetto.dev or \
            chrome://tracing. The page of --html is self-contained: it shows the timeline \
            and the reason of each miss. With --repeat 2 everything is loaded twice, the second \
            time from the cache if the options allow one.

            Examples:
              kf trace https://example.com/photo.jpg -p resize:300x -o trace.json
              kf trace a.jpg b.jpg --cache cache --repeat 2 --html -o trace.html
            """
    )

    @Argument(
        help: ArgumentHelp("URLs, paths, or - for standard input.", valueName: "source"),
        completion: .file(),
        transform: { try PictureSource($0) }
    )
    var sources: [PictureSource]

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The output file; - is standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String

    @Flag(help: "Write an HTML page for a browser.")
    var html = false

    @Option(
        name: .customLong("repeat"),
        help: ArgumentHelp("The number of loads of each image.", valueName: "n")
    )
    var rounds = 1

    @Option(
        name: [.customShort("p"), .customLong("processor")],
        parsing: .singleValue,
        help: ArgumentHelp("A step as in kf get; may be repeated.", valueName: "spec"),
        transform: ProcessorSpec.init
    )
    var processors: [ProcessorSpec] = []

    @OptionGroup var loading: LoadOptions
    @OptionGroup var overwriting: OverwriteOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        for source in sources { try loading.check(source) }
        if !(1...100).contains(rounds) { throw ValidationError("--repeat must be from 1 to 100") }
        if output.isEmpty { throw ValidationError("the output has no name") }
    }

    func run() async throws {
        do {
            if output != "-" { try AtomicFile.checkFolder(of: output) }
            let (recorder, failures) = try await record()
            for failure in failures { Terminal.note("kf: " + failure, style: .red) }
            let data =
                html
                ? Data(TracePage.html(recorder.recorded, failures).utf8)
                : try recorder.chromeTrace()
            if output == "-" {
                try Terminal.write(data)
            } else {
                try AtomicFile.write(data, to: output, patience: loading.timeout)
            }
            let result = Result(
                loads: sources.count * rounds,
                failed: failures.count,
                output: output
            )
            try out.print(result, toError: output == "-")
            if !failures.isEmpty { throw ExitCode.failure }
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    /// Loads all sources, round by round.
    private func record() async throws -> (LoadRecorder, [String]) {
        let processor = ProcessorSpec.chain(processors)
        let loads = sources.map {
            PictureLoad(source: $0, loading: loading, processor: processor)
        }
        // One manager for all rounds, so that a second round finds the first one's images.
        let manager = try (loads.first { $0.source.isWeb } ?? loads[0]).manager()
        let recorder = LoadRecorder(manager)
        let failures = Failures()
        for _ in 0..<rounds {
            await Batch.run(loads, width: 6) { load in
                do {
                    _ = try await load.run(by: manager)
                } catch {
                    if output != "-" { out.printFailure(error, source: load.source.text) }
                    failures.add(ErrorReport.line(for: error, source: load.source.title))
                }
            }
        }
        return (recorder, failures.all)
    }

    struct Result: Report {
        let loads: Int
        let failed: Int
        let output: String

        func summary() -> String {
            let count = Readable.count(loads, "load", "loads")
            let failures = failed > 0 ? ", \(failed) failed" : ""
            return "\(count)\(failures) → \(Terminal.line(output))"
        }
    }
}
