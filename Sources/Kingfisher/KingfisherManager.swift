import Foundation
import Synchronization

/// Called when another download task replaces the first one, because of a retry, an alternative
/// source or a fallback.
///
/// Nil means that the replacement needs no download.
public typealias DownloadTaskUpdatedBlock = (@Sendable (_ newTask: DownloadTask?) -> Void)

// `@unchecked`: the class is public and not final; its state is guarded by a mutex.
/// Loads images: from the caches if they are there, otherwise from their source.
///
/// Most programs use ``shared``. A manager of your own has its own cache and downloader.
///
/// ```swift
/// let url = URL(string: "https://example.com/photo.jpg")!
/// let result = try await KingfisherManager.shared.retrieveImage(with: url)
/// print(result.image.size, result.cacheType)
/// ```
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
    ///
    /// - Parameters:
    ///   - downloader: Downloads images whose options name no downloader.
    ///   - cache: Stores images whose options name no cache.
    public init(downloader: ImageDownloader, cache: ImageCache) {
        state = Mutex(State(cache: cache, downloader: downloader))
    }

    /// The cache for loads whose options name none.
    public var cache: ImageCache {
        get { state.withLock { $0.cache } }
        set { state.change { $0.cache = newValue } }
    }

    /// The downloader for loads whose options name none.
    public var downloader: ImageDownloader {
        get { state.withLock { $0.downloader } }
        set { state.change { $0.downloader = newValue } }
    }

    /// Options applied to every load, before the options of the call.
    public var defaultOptions: KingfisherOptionsInfo {
        get { state.withLock { $0.defaultOptions } }
        set { state.change { $0.defaultOptions = newValue } }
    }

    /// Retrieves the image of a resource from the caches or the network.
    ///
    /// See ``retrieveImage(with:options:progressBlock:)-(Source,_,_)``.
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
    ///   - source: The source of the image.
    ///   - options: Options for this load; they override the manager's ``defaultOptions``.
    ///   - progressBlock: Called on the main queue while a download of known length runs.
    /// - Returns: The image, its origin, and the time spent in each stage.
    /// - Throws: `CancellationError` if the task was cancelled before the call, otherwise
    ///   ``KingfisherError``. An image found in a cache is returned even if the task is cancelled
    ///   meanwhile.
    public func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> RetrieveImageResult {
        try Task.checkCancellation()
        let request = request(source, adding: options)
        guard let progressBlock else { return try await load(request) }
        return try await load(request, reporting: ProgressReporter(progressBlock))
    }

    @inline(never)
    private func load(
        _ request: LoadRequest,
        reporting progress: ProgressReporter
    ) async throws(KingfisherError) -> RetrieveImageResult {
        let events = LoadEvents(progress: progress)
        do throws(KingfisherError) {
            let result = try await load(request, events: events)
            await progress.end()
            return result
        } catch {
            await progress.end()
            throw error
        }
    }

    var observers: LoadObservers { pipeline.observers }

    func resolved(_ options: KingfisherOptionsInfo?) -> KingfisherOptionsInfo {
        state.withLock { $0.defaultOptions } + (options ?? [])
    }

    /// The request of a call, made of one snapshot of the manager's parts.
    func request(_ source: Source, adding options: KingfisherOptionsInfo?) -> LoadRequest {
        let state = state.withLock { $0 }
        return LoadRequest(
            source: source,
            options: KingfisherParsedOptionsInfo(state.defaultOptions + (options ?? [])),
            cache: state.cache,
            downloader: state.downloader
        )
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

    /// Performs a load in the caller's task.
    func load(
        _ request: LoadRequest,
        events: LoadEvents = LoadEvents()
    ) async throws(KingfisherError) -> RetrieveImageResult {
        if let result = pipeline.peek(request) { return result }
        return try await pipeline.load(request, events: events, task: DownloadTask())
    }

    /// Starts a load and returns its task.
    func start(
        _ request: LoadRequest,
        events: LoadEvents,
        completion: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
    ) -> DownloadTask {
        if let result = pipeline.peek(request) {
            let task = DownloadTask()
            task.cancellation.finish()
            request.options.callbackQueue.execute { completion(.success(result)) }
            return task
        }
        let readsAtOnce = request.options.loadDiskFileSynchronously
        return DownloadTask.running(
            callingBackOn: request.options.callbackQueue,
            completion,
            progress: events.progress,
            isImmediate: { $0.cacheType == .memory || readsAtOnce && $0.cacheType == .disk },
            { [pipeline] task in try await pipeline.load(request, events: events, task: task) }
        )
    }
}
