import ArgumentParser
import Foundation
import Kingfisher

/// `kf explain`: predicts the course of a load, with reasons.
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains where an image would come from, without loading it.",
        discussion: """
            Takes the options of kf get: what the cache has of an image also depends on them. With \
            steps, an output in a format that holds animations is another one than a still.

            Examples:
              kf explain https://example.com/photo.jpg
              kf explain https://example.com/photo.jpg -p resize:300x -o a.webp

            \(EncodingOptions.help)
            """
    )

    @Argument(
        help: "An http, https or file URL, or a path.",
        completion: .file(),
        transform: { try PictureSource($0) }
    )
    var source: PictureSource

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("The output of kf get; nothing is written.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @OptionGroup var steps: StepOptions
    @OptionGroup var loading: LoadOptions
    @OptionGroup var part: ClipOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        try loading.check(source)
        try part.part.check(loading.pages)
        _ = try GetTarget(output, for: [source]).format(steps.format)
        if !source.isCacheable {
            throw ValidationError(
                "\(source.title) is never cached, so there is nothing to explain"
            )
        }
    }

    func run() async throws {
        do {
            let load = try PictureLoad(
                source: source,
                loading: loading,
                options: steps,
                target: GetTarget(output, for: [source]),
                clip: part.clip,
                isCopied: steps.keepFiles
            )
            let manager = try load.manager()
            // The index of a cache is read in the background. Reading the entries waits for it.
            _ = manager.cache.diskStorage.entries
            let explanation = manager.explain(try load.resolved(), options: load.options)
            let cache = loading.usedCache(for: source)
            try out.print(Result(source, steps.processors, cache, explanation))
        } catch {
            throw ErrorReport.exit(for: error, source: source.title, out)
        }
    }

    struct Result: Report {
        private let source: PictureSource
        private let steps: [String]
        private let hasCache: Bool
        private let explanation: LoadExplanation

        init(
            _ source: PictureSource,
            _ processors: [ProcessorSpec],
            _ cache: CacheChoice,
            _ explanation: LoadExplanation
        ) {
            self.source = source
            steps = processors.map(\.text)
            hasCache = cache != .none
            self.explanation = explanation
        }

        enum CodingKeys: CodingKey {
            case source, key, processor, disk, original, outcome
        }

        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(source.text, forKey: .source)
            try values.encode(explanation.key, forKey: .key)
            try values.encode(explanation.processor, forKey: .processor)
            try values.encode(MissText.layer(explanation.disk), forKey: .disk)
            try values.encode(MissText.layer(explanation.original), forKey: .original)
            try values.encode(outcome, forKey: .outcome)
        }

        private var outcome: String {
            switch explanation.outcome {
            case .cache(.memory): "memory"
            case .cache: "disk"
            case .original: "original"
            case .download: "download"
            case .provider: "file"
            case .fails: "fails"
            }
        }

        func summary() -> String {
            let sentence =
                switch explanation.outcome {
                case .cache: "It comes from the cache."
                case .original: "It is made from the cached original, without the network."
                case .download: "It is downloaded."
                case .provider: "The file is read."
                case .fails:
                    "It fails: it is not cached, and --only-from-cache allows no other source."
                }
            let with = steps.isEmpty ? "" : " with \(steps.joined(separator: ", "))"
            guard hasCache else {
                return "\(source.title)\(with)\n  cache     none is used\n  \(sentence)"
            }
            var lines = [source.title + with, "  result    \(MissText.layer(explanation.disk))"]
            if !steps.isEmpty {
                lines.append("  original  \(MissText.layer(explanation.original))")
            }
            return (lines + ["  " + sentence]).joined(separator: "\n")
        }
    }
}

/// Descriptions of hits and misses in the terms of the command line.
enum MissText {
    /// Why a layer does not have an image; `cached` if it has.
    static func layer(_ reason: CacheMissReason?) -> String { reason.map { text($0) } ?? "cached" }

    static func text(_ reason: CacheMissReason) -> String {
        switch reason {
        case .neverStored: "not cached"
        case .expired: reason.description
        case .evicted: "was removed to make room"
        case .otherProcessor([""]): "only cached unprocessed"
        case .otherProcessor: "only cached with other steps"
        case .damaged: "damaged on disk"
        case .notAsked: "not used, because of the options"
        }
    }
}
