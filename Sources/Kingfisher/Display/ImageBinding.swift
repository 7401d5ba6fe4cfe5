/// Ties one place for an image to the loads that want to fill it.
///
/// Holds what belongs together: the identifier of the load in force, its handle, and the token by
/// which it learns that nobody wants it any more. A view with several places has one binding for
/// each. The binding knows nothing of views; see ``ImageBindingTarget``.
@MainActor
package final class ImageBinding {
    /// Gets the result of a load, once, on the main actor.
    package typealias Completion =
        @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

    /// The identifier of the load in force; nil when none is.
    package private(set) var identifier: Source.Identifier.Value?
    private var task: DownloadTask?
    private var isCancelledWhenSuperseded = false
    private var token = CancellationLatch()
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Makes a binding that nothing is loaded into.
    package init() {}

    /// Loads an image and shows it, unless another load comes between.
    ///
    /// An image in memory is shown before the call returns. A load that was in force before is
    /// superseded: its pending disk read is dropped, its download goes on into the cache unless its
    /// options say `cancelWhenSuperseded`, and its completion gets `notCurrentSourceTask`.
    ///
    /// - Parameters:
    ///   - source: Where the image comes from; nil gives `emptySource`, and the earlier load is
    ///     superseded all the same.
    ///   - target: Where it is shown; held weakly while it loads.
    ///   - placeholder: Shown meanwhile; nil clears the target.
    ///   - options: The manager's default options with the call's over them. The callback queue
    ///     is not used: everything happens on the main actor.
    ///   - manager: Loads the image.
    ///   - progress: Received and expected bytes; not called any more once the load was superseded
    ///     or cancelled.
    ///   - completion: Called exactly once.
    /// - Returns: The handle to cancel with; nil when a cache answers.
    @discardableResult
    package func load<Target: ImageBindingTarget>(
        _ source: Source?,
        into target: Target,
        placeholder: Target.PlaceholderContent?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock? = nil,
        completion: Completion? = nil
    ) -> DownloadTask? {
        guard let source else {
            target.showPlaceholder(placeholder, options: options)
            identifier = nil
            if isCancelledWhenSuperseded { task?.cancel() }
            completion?(.failure(.imageSettingError(reason: .emptySource)))
            wake()
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
        // Not before this load has joined the download, which may be the same one.
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
        // A memory hit has ended by now.
        if identifier == load.identifier { self.task = task }
        return task.isInitialized || options.asyncCacheTypeCheck ? task : nil
    }

    /// Cancels the load in force, at whatever stage it is.
    ///
    /// It stays the load in force until its completion, which gets the plain cancel error.
    package func cancel() {
        token.cancel()
        task?.cancel()
    }

    /// Waits until no load is in force, and its completion has been called.
    ///
    /// Returns at once when none is. A load that supersedes the one in force is waited for, too.
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

    /// Puts a new load in force, and withdraws the one before.
    private func begin() -> Load {
        let load = Load(identifier: Source.Identifier.next(), token: CancellationLatch())
        identifier = load.identifier
        task = nil
        token.cancel()
        token = load.token
        return load
    }

    /// Shows a progressive JPEG in the target while it arrives, as long as the load is in force.
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
        _ completion: Completion?
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

    /// Reports on the main queue until the token is cancelled.
    private static func report(
        _ progress: @escaping DownloadProgressBlock,
        while token: CancellationLatch
    ) -> @Sendable (Int64, Int64) -> Void {
        ProgressReporter { received, total in
            if !token.isCancelled { progress(received, total) }
        }.report
    }
}

/// A closure that runs one time, whatever a toolkit's animation does.
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
        !transition.isNone && (forceTransition || cacheType == .none)
    }
}

extension KingfisherError {
    /// What the completion of a superseded load gets: whatever the load came to, inside.
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
