import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

/// `kf prefetch`: loads images into the cache before they are needed.
struct PrefetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefetch",
        abstract: "Loads images from the network into the cache.",
        discussion: """
            URLs are read from the command line, a file with one URL per line, or standard input; \
            empty lines are skipped, and comments from a # at the beginning of a line or after \
            white space. Cached images are not loaded \
            again. Failures do not stop it; they are listed at the end, and the exit status is 1. \
            So is an image that the cache has removed again, because it is full. With -p only the \
            results are cached, not the originals; kf get uses them with the same -p, and kf \
            explain tells whether it would with other options.

            Examples:
              kf prefetch https://example.com/a.jpg https://example.com/b.jpg
              kf prefetch --from-file urls.txt -p resize:300x --concurrency 8 --per-host 2
            """
    )

    @Argument(help: ArgumentHelp("http or https URLs.", valueName: "url"))
    var urls: [String] = []

    @OptionGroup var listing: InputOptions

    @Option(
        help: ArgumentHelp(
            "The most bytes that the cache keeps in this run, for example 500MB or 2GB. (default: "
                + "a twentieth of the disk, 64 MB to 1 GB)",
            valueName: "size"
        ),
        transform: ByteCount.init
    )
    var cacheLimit: ByteCount?

    @Option(help: ArgumentHelp("The number of concurrent loads.", valueName: "n"))
    var concurrency = 5

    @Option(help: ArgumentHelp("The maximum number of connections per host.", valueName: "n"))
    var perHost = 6

    @Option(
        name: [.customShort("p"), .customLong("processor")],
        parsing: .singleValue,
        help: ArgumentHelp("A step as in kf get; may be repeated.", valueName: "spec"),
        completion: ProcessorSpec.completion,
        transform: ProcessorSpec.init
    )
    var processors: [ProcessorSpec] = []

    @OptionGroup var loading: LoadOptions
    @OptionGroup var retrying: RetryOptions
    @OptionGroup var part: ClipOptions
    @OptionGroup var out: OutputOptions

    func validate() throws {
        try listing.check(urls, "URLs")
        if !(1...256).contains(concurrency) {
            throw ValidationError("--concurrency must be from 1 to 256")
        }
        if !(1...64).contains(perHost) { throw ValidationError("--per-host must be from 1 to 64") }
        if loading.noCache || loading.onlyFromCache || loading.truncation.acceptTruncated {
            throw ValidationError(
                "--no-cache, --only-from-cache and --accept-truncated cannot be combined with "
                    + "prefetching"
            )
        }
        try part.part.check(loading.pages)
        for url in urls { _ = try Self.source(url) }
    }

    func run() async throws {
        do {
            let (sources, refused) = try sources()
            guard let first = sources.first else {
                for line in refused { Terminal.note("kf: " + line, style: .red) }
                throw Failure("there are no URLs to load")
            }
            let processor = ProcessorSpec.chain(processors)
            let manager = try load(first, processor).manager()
            manager.downloader.transferSettings.maxConnectionsPerHost = perHost
            if let cacheLimit {
                manager.cache.diskStorage.config.sizeLimit = UInt(cacheLimit.bytes)
            }
            let tally = Tally(total: sources.count, showsProgress: out.showsProgress, refused)
            let isTold = out.json || out.verbose
            await Batch.run(sources, width: concurrency) { source in
                let outcome = await outcome(of: load(source, processor), by: manager)
                tally.add(outcome)
                if isTold { report(outcome) }
            }
            Terminal.showStatus("")
            var summary = tally.summary
            let evicted = await evicted(of: tally.cachedKeys, processor, from: manager.cache)
            summary.evicted = evicted
            for failure in summary.failures { Terminal.note("kf: " + failure, style: .red) }
            try out.print(summary, of: listing, urls)
            if summary.failed > 0 { throw ExitCode.failure }
            if evicted > 0 {
                throw Self.failure(evicted, from: manager.cache.diskStorage)
            }
            if summary.loaded > 0, LibraryLog.shared.hasCacheFailed {
                throw Failure("not every image could be cached")
            }
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }

    // MARK: - Steps

    private func load(_ source: PictureSource, _ processor: (any ImageProcessor)?) -> PictureLoad {
        var load = PictureLoad(source: source, loading: loading, processor: processor)
        load.keepsOriginal = false
        load.further = retrying.options
        load.clip = part.clip
        return load
    }

    /// The number of images that the cache does not have any more.
    private func evicted(
        of keys: [String],
        _ processor: (any ImageProcessor)?,
        from cache: ImageCache
    ) async -> Int {
        // A cache that failed is reported on its own, unless its disk is full: then stores that run at
        // the same time take each other's space, and fail.
        let isFull = cache.diskStorage.statistics.displaced > 0
        guard isFull || !LibraryLog.shared.hasCacheFailed else { return 0 }
        await cache.cleanExpiredDiskCache()
        let identifier = processor?.identifier ?? DefaultImageProcessor.default.identifier
        return keys.count { !cache.isCached(forKey: $0, processorIdentifier: identifier) }
    }

    /// Why images that were stored are gone, and what to do.
    private static func failure(_ evicted: Int, from storage: ToolCache.Storage) -> Failure {
        guard storage.statistics.displaced == 0 else {
            return Failure(
                "the disk of \(storage.directoryURL.path) is full: \(evicted) of the images are "
                    + "not kept, and will be loaded again; free space on it, or make them smaller "
                    + "with -p"
            )
        }
        return Failure(
            "\(evicted) of the images do not fit into the cache of "
                + "\(Readable.bytes(Int(storage.config.sizeLimit))), and will be loaded again; raise "
                + "--cache-limit, or make them smaller with -p"
        )
    }

    private func outcome(of load: PictureLoad, by manager: KingfisherManager) async -> Outcome {
        do {
            // Nothing uses the images again, and with many they would fill the memory.
            let result = try await load.run(
                by: manager,
                options: [.memoryCacheExpiration(.expired)]
            )
            let isCached = result.cacheType != .none
            return Outcome(
                url: load.source.text,
                status: isCached ? "cached" : "loaded",
                error: nil,
                key: result.originalSource.cacheKey
            )
        } catch {
            let line = ErrorReport.line(for: error, source: load.source.title)
            let url = load.source.text.disclosing(.path)
            return Outcome(url: url, status: "failed", error: line)
        }
    }

    private func report(_ outcome: Outcome) {
        // Encoding cannot fail: an outcome consists of strings.
        if out.json, let line = try? outcome.jsonLine() { return Terminal.print(line) }
        Terminal.note(outcome.summary(), style: .dim)
    }

    /// The sources, each once, and an error line for each text that is not a URL.
    private func sources() throws -> ([PictureSource], [String]) {
        var refused: [String] = []
        let texts = try listing.all(urls, patience: loading.timeout).withoutRepeats
        let search = InputSearch(leavingOut: "", excluding: listing.exclude)
        let sources = texts.compactMap { text -> PictureSource? in
            guard let source = try? Self.source(text) else {
                let shown = text.hidingCutURL
                let line = Terminal.line(shown.disclosing(.path))
                let failure = Failure("'\(line)' is not an http or https URL")
                out.printFailure(failure, source: shown)
                refused.append(ErrorReport.line(for: failure))
                return nil
            }
            return search.excludes(source) ? nil : source
        }
        return (sources, refused)
    }

    private static func source(_ text: String) throws -> PictureSource {
        let source = try PictureSource(text)
        guard source.isWeb else {
            throw ValidationError(
                "'\(source.title)' is not an http or https URL; --from-file reads URLs from a file"
            )
        }
        return source
    }
}
