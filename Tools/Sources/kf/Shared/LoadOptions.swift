import ArgumentParser

/// The options of commands that load images.
struct LoadOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder of the cache. By default, images from the network are cached in the "
                + "user's cache folder, and local files are not cached.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var cache: String?

    @Flag(help: "Do not use a cache.")
    var noCache = false

    @Flag(help: "Load from the source even if the image is cached.")
    var forceRefresh = false

    @Flag(help: "Fail if the image is not cached.")
    var onlyFromCache = false

    @OptionGroup var reading: ReadOptions

    @Option(
        name: .customLong("header"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "A header to send, for example 'Accept: image/*'; may be repeated.",
            valueName: "header"
        ),
        transform: RequestHeader.init
    )
    var headers: [RequestHeader] = []

    @Option(
        name: .customLong("ignore-query"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "A query item that is not part of an image's key, for example a signature; a * at its "
                + "end stands for any rest; may be repeated.",
            valueName: "name"
        )
    )
    var ignoredQueryItems: [String] = []

    func validate() throws {
        if forceRefresh, onlyFromCache {
            throw ValidationError("--force-refresh and --only-from-cache cannot be combined")
        }
        if noCache, cache != nil || onlyFromCache {
            throw ValidationError(
                "--no-cache cannot be combined with "
                    + (cache != nil ? "--cache" : "--only-from-cache")
            )
        }
        if cache?.isEmpty == true { throw ValidationError("the cache folder has no name") }
    }

    /// Throws a `ValidationError` if the options do not fit the source.
    func check(_ source: PictureSource) throws {
        if onlyFromCache, !source.isCacheable {
            throw ValidationError("\(source.title) is never cached")
        }
        if onlyFromCache, usedCache(for: source) == .none {
            throw ValidationError("files are only cached with --cache; add it with a folder")
        }
        if !headers.isEmpty, !source.isWeb {
            throw ValidationError("--header requires an http or https source")
        }
    }

    /// The cache that a load uses.
    func usedCache(for source: PictureSource) -> CacheChoice {
        if noCache || !source.isCacheable { return .none }
        if let cache { return .folder(cache) }
        return source.isWeb ? .users : .none
    }

    var isolate: Bool { reading.isolate }
    var truncation: TruncationOptions { reading.truncation }
    var pages: PageOptions { reading.pages }
    var timeout: Double { reading.timeout }
}

/// The options of commands that load images from files, and of those that load any.
struct ReadOptions: ParsableArguments {
    @Flag(help: "Decode in a separate process without access to files or the network.")
    var isolate = false

    @OptionGroup var truncation: TruncationOptions

    @OptionGroup var pages: PageOptions

    @Option(help: ArgumentHelp("The time limit of a load.", valueName: "seconds"))
    var timeout = 30.0

    func validate() throws { try Self.check(timeout: timeout) }

    static func check(timeout: Double) throws {
        if !(timeout > 0 && timeout <= 86_400) {
            throw ValidationError("the timeout must be more than 0 and at most 86400 seconds")
        }
    }
}

/// The cache for loaded images.
enum CacheChoice: Equatable, Sendable {
    case none
    /// The tool's own cache in the user's cache folder.
    case users
    case folder(String)
}
