import Foundation
import Synchronization

/// Called when another download task replaces the first one: for a retry, an alternative, a
/// fallback; nil when the replacement needs no download.
public typealias DownloadTaskUpdatedBlock = (@Sendable (_ newTask: DownloadTask?) -> Void)

/// Joins a downloader and a cache: the one place to ask for an image.
///
/// `@unchecked`: the class is public and not final; its state is guarded by a mutex.
public class KingfisherManager: @unchecked Sendable {
    /// The manager of the default downloader and the default cache.
    public static let shared = KingfisherManager(
        downloader: .default,
        cache: .default
    )

    private struct State {
        var cache: ImageCache
        var downloader: ImageDownloader
        var defaultOptions = KingfisherOptionsInfo.empty
    }

    private let state: Mutex<State>
    private let pipeline = ImagePipeline()

    /// Makes a manager.
    public init(downloader: ImageDownloader, cache: ImageCache) {
        state = Mutex(State(cache: cache, downloader: downloader))
    }

    /// The cache of loads whose options name none.
    public var cache: ImageCache {
        get { state.withLock { $0.cache } }
        set { state.withLock { $0.cache = newValue } }
    }

    /// The downloader of loads whose options name none.
    public var downloader: ImageDownloader {
        get { state.withLock { $0.downloader } }
        set { state.withLock { $0.downloader = newValue } }
    }

    /// Options that stand before those of every call.
    public var defaultOptions: KingfisherOptionsInfo {
        get { state.withLock { $0.defaultOptions } }
        set { state.withLock { $0.defaultOptions = newValue } }
    }

    /// Retrieves the image of a resource; see the flavour for a source.
    public func retrieveImage(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        try await retrieveImage(
            with: resource.convertToSource(),
            options: options,
            progressBlock: progressBlock
        )
    }

    /// Retrieves an image from the caches or its source.
    ///
    /// - Parameters:
    ///   - source: Where it comes from.
    ///   - options: What to do, over the manager's ``defaultOptions``.
    ///   - progressBlock: Called on the main queue while the download has a known length.
    /// - Returns: The image, where it came from, and how long each stage took.
    /// - Throws: `CancellationError` when the task was cancelled before the call, otherwise
    ///   ``KingfisherError``. A hit is returned even when the task is cancelled.
    public func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        try Task.checkCancellation()
        let progress = progressBlock.map { ProgressReporter($0) }
        let result = await pipeline.load(
            request(source, KingfisherParsedOptionsInfo(resolved(options))),
            events: LoadEvents(progress: progress?.report),
            task: DownloadTask()
        )
        return try result.get()
    }

    var observers: LoadObservers { pipeline.observers }

    func resolved(_ options: KingfisherOptionsInfo?) -> KingfisherOptionsInfo {
        state.withLock { $0.defaultOptions } + (options ?? [])
    }

    func request(
        _ source: Source,
        _ options: KingfisherParsedOptionsInfo,
        isStillWanted: (@Sendable () -> Bool)? = nil
    ) -> LoadRequest {
        let (cache, downloader) = state.withLock { ($0.cache, $0.downloader) }
        return LoadRequest(
            source: source,
            options: options,
            cache: cache,
            downloader: downloader,
            isStillWanted: isStillWanted
        )
    }

    /// Carries out a load in the caller's task.
    func load(_ request: LoadRequest) async -> Result<RetrieveImageResult, KingfisherError> {
        await pipeline.load(request, task: DownloadTask())
    }

    /// Starts a load and returns its handle.
    func start(
        _ request: LoadRequest,
        events: LoadEvents,
        completion: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) -> DownloadTask {
        DownloadTask.running(callingBackOn: request.options.callbackQueue, completion) {
            [pipeline] task in
            try await pipeline.load(request, events: events, task: task).get()
        }
    }
}
