/// Connects one image of a view to the loads that set it.
///
/// Holds the identifier of the current load, its task, and the token that marks it as superseded or
/// cancelled. A view with several images has one binding for each. The binding does not depend on
/// views; see ``ImageBindingTarget``.
@MainActor
package final class ImageBinding {
    /// The identifier of the current load; nil if there is none.
    package private(set) var identifier: Source.Identifier.Value?
    private var task: DownloadTask?
    private var isCancelledWhenSuperseded = false
    private var token = CancellationLatch()
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Makes a binding without a load.
    package init() {}

    /// Loads an image and shows it, unless another load replaces this one.
    ///
    /// An image in memory is shown before the call returns. The previous load is superseded: its
    /// pending disk read is dropped, its download continues and is cached unless its options
    /// contain `cancelWhenSuperseded`, and its completion receives `notCurrentSourceTask`.
    ///
    /// - Parameters:
    ///   - source: The source of the image. Nil supersedes the previous load too and fails with
    ///     `emptySource`.
    ///   - target: Shows the image; held weakly during the load.
    ///   - placeholder: Shown during the load; nil clears the target.
    ///   - options: The combined options of the manager and the call. The callback queue is
    ///     ignored: everything happens on the main actor.
    ///   - manager: Loads the image.
    ///   - progress: Called with received and expected bytes, until the load is superseded or
    ///     cancelled.
    ///   - completion: Called exactly once.
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
    @discardableResult
    package func load<Target: ImageBindingTarget>(
        _ source: Source?,
        into target: Target,
        placeholder: Target.PlaceholderContent?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock? = nil,
        completion: ImageCompletion? = nil
    ) -> DownloadTask? {
        guard let source else {
            target.showPlaceholder(placeholder, options: options)
            supersede()
            completion?(.failure(.imageSettingError(reason: .emptySource)))
            return nil
        }
        let showsNothing = target.shownImage == nil && !target.showsPlaceholder
        if !options.keepCurrentImageWhileLoading || showsNothing {
            target.showPlaceholder(placeholder, options: options)
        }
        target.loadDidStart()
        let superseded = isCancelledWhenSuperseded ? task : nil
        let load = begin()
        isCancelledWhenSuperseded = options.cancelWhenSuperseded
        // Cancelled only after this load has joined the download, which may be the same one.
        defer { superseded?.cancel() }
        var options = options
        options.callbackQueue = .mainCurrentOrAsync
        let task = manager.start(
            manager.request(source, options, isStillWanted: { !load.token.isCancelled }),
            events: LoadEvents(
                progress: progress.map { Self.report($0, while: load.token) },
                partial: partial(load, target, options)
            ),
            completion: { [weak target] result in
                MainActor.assumeIsolated {
                    target?.loadDidEnd()
                    self.end(load, of: source, with: result, in: target, options, completion)
                }
            }
        )
        // A memory hit has already ended here.
        if identifier == load.identifier { self.task = task }
        return task.goesOn || options.asyncCacheTypeCheck ? task : nil
    }

    /// Cancels the current load at any stage.
    ///
    /// It remains the current load until its completion, which receives the cancellation error, also
    /// if the image was on its way to the main actor.
    package func cancel() {
        token.cancel()
        task?.cancel()
    }

    /// Supersedes the current load by one that does not start yet.
    func supersede() {
        identifier = nil
        token.cancel()
        if isCancelledWhenSuperseded { task?.cancel() }
        wake()
    }

    /// Waits until there is no current load and the last completion has been called.
    ///
    /// Returns immediately if there is none. A load that supersedes the current one is waited for,
    /// too.
    package func waitUntilIdle() async {
        guard identifier != nil else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    private func wake() {
        guard identifier == nil else { return }
        let ready = waiters
        waiters = []
        for waiter in ready { waiter.resume() }
    }

    // MARK: The life of a load

    private struct Load: Sendable {
        let identifier: Source.Identifier.Value
        let token: CancellationLatch
    }

    /// Makes a new load the current one, and cancels the token of the previous one.
    private func begin() -> Load {
        let load = Load(identifier: Source.Identifier.next(), token: CancellationLatch())
        identifier = load.identifier
        task = nil
        token.cancel()
        token = load.token
        return load
    }

    /// Shows the intermediate images of a progressive JPEG while the load is the current one.
    private func partial<Target: ImageBindingTarget>(
        _ load: Load,
        _ target: Target,
        _ options: KingfisherParsedOptionsInfo
    ) -> ProgressiveUpdates.Sink? {
        guard options.progressiveJPEG != nil else { return nil }
        return ProgressiveUpdates.Sink { [weak self, weak target] image in
            MainActor.assumeIsolated {
                guard let self, let target, self.identifier == load.identifier else { return }
                target.removePlaceholder()
                target.show(image, options: options)
            }
        }
    }

    private func end<Target: ImageBindingTarget>(
        _ load: Load,
        of source: Source,
        with result: Result<RetrieveImageResult, KingfisherError>,
        in target: Target?,
        _ options: KingfisherParsedOptionsInfo,
        _ completion: ImageCompletion?
    ) {
        guard identifier == load.identifier else {
            completion?(.failure(.superseded(result, source: source)))
            return
        }
        identifier = nil
        task = nil
        guard let target else {
            completion?(result)
            wake()
            return
        }
        switch result {
        case .success(let value) where options.animatesTransition(from: value.cacheType):
            let once = OnceOnMain { [self] in
                completion?(result)
                wake()
            }
            target.transition(to: value.image, options: options) { once.run() }
            return
        case .success(let value):
            target.removePlaceholder()
            target.show(value.image, options: options)
        case .failure:
            if let image = options.onFailureImage {
                target.removePlaceholder()
                target.show(image, options: options)
            }
        }
        completion?(result)
        wake()
    }

    /// Reports progress on the main queue until the token is cancelled.
    private static func report(
        _ progress: @escaping DownloadProgressBlock,
        while token: CancellationLatch
    ) -> ProgressReporter {
        ProgressReporter { received, total in
            if !token.isCancelled { progress(received, total) }
        }
    }
}

/// A closure that runs once, even if the toolkit's animation completes several times.
@MainActor
private final class OnceOnMain {
    private var body: (() -> Void)?

    init(_ body: @escaping () -> Void) { self.body = body }

    func run() {
        defer { body = nil }
        body?()
    }
}

extension KingfisherParsedOptionsInfo {
    fileprivate func animatesTransition(from cacheType: CacheType) -> Bool {
        !self.transition.isNone && (self.forceTransition || cacheType == .none)
    }
}

extension KingfisherError {
    /// The error of a superseded load, which contains its actual result.
    fileprivate static func superseded(
        _ result: Result<RetrieveImageResult, KingfisherError>,
        source: Source
    ) -> KingfisherError {
        switch result {
        case .success(let value):
            .imageSettingError(
                reason: .notCurrentSourceTask(result: value, error: nil, source: source)
            )
        case .failure(let error):
            .imageSettingError(
                reason: .notCurrentSourceTask(result: nil, error: error, source: source)
            )
        }
    }
}
