/// The loads of a widget, which decode images to its size.
///
/// A load waits while the size of the widget is unknown, or until the widget has stayed on screen.
/// The binding of a toolkit makes one for each widget, reports layouts and visibility to it, and
/// returns it as the ``ImageDisplaying/imageLoads`` of the widget:
///
/// ```swift
/// final class Cell: ImageWidget, ImageDisplaying, KingfisherCompatible {
///     lazy var loader = ViewLoader(self)
///     var imageLoads: ImageLoads<KFCrossPlatformImage> { ImageLoads(loader) }
/// }
/// ```
@MainActor
public final class ViewLoader: ImageLoading {
    /// When loads start; nil, the default, waits for the visibility of widgets in lists alone.
    public var loadStart: LoadStart? {
        didSet { if let loadStart { loadsWhenVisible = loadStart == .whenVisible } }
    }
    /// Whether loads start by the rule of ``LoadStart/whenVisible``.
    package var loadsWhenVisible = false {
        didSet {
            guard loadsWhenVisible != oldValue else { return }
            pendingChanged()
            if let pending { planStart(of: pending) }
        }
    }
    /// Whether a load of the view may start, in place of that rule.
    package var mayStart: (() -> Bool)?
    /// When the image will be seen, if the view is a cell of a list.
    package var interest: ImageInterest?
    /// Loads again in place of ``retry()``, for owners that observe the load.
    package var onRetry: (() -> Void)?
    /// Whether a failed load is repeated when the network returns, even if the view does not load
    /// only while visible.
    package var retriesWhenOnline = false
    /// Whether loads end only when the size of the file is known, even if the source has to be read
    /// again for it.
    package var awaitsFileSize = false
    /// Called when the image of a load is shown, and the size of its file is known if that was
    /// requested.
    package var onSettled: ((PendingLoad) -> Void)?
    /// A load that has not started.
    package private(set) var pending: PendingLoad? {
        didSet { pendingChanged() }
    }
    /// The load of the current image.
    package private(set) var shownLoad: PendingLoad?
    /// The load of an image that stays while the next one loads, and if that fails.
    private(set) var kept = KeptImage()
    /// The current load, if it has failed.
    package private(set) var failure: PendingLoad? {
        didSet { if failure !== oldValue { widget?.failureDidChange(to: failure?.error) } }
    }
    /// A load that has started and not ended.
    private var inForce: PendingLoad?
    /// Receives a larger version of the current image while it loads.
    var refinement: Refinement?
    /// Whether a load has started and not ended.
    package var isLoading: Bool { inForce != nil }
    /// Whether there is no load, neither one that waits nor one that has ended.
    package var isUnused: Bool {
        pending == nil && inForce == nil && shownLoad == nil && failure == nil
    }
    package let binding = ImageBinding()
    /// The size that images are decoded to.
    public var decodeSize = DecodeSize.fitView
    /// Weak: the widget owns the loader.
    private weak var owner: (any ImageWidget)?
    /// The widget while it exists.
    var widget: (any ImageWidget)? { owner.flatMap { $0.isAlive ? $0 : nil } }

    /// Makes the loads of a widget, which is held weakly.
    public init(_ widget: any ImageWidget) { owner = widget }

    private func pendingChanged() {
        widget?.setNeedsFrames(pending != nil && loadsWhenVisible)
    }

    // MARK: The caller's requests

    /// Loads an image as ``ImageBinding`` does, decoded to the view's size.
    ///
    /// An image in memory is shown as soon as the size is known, in the same frame.
    @discardableResult
    package func load(
        _ source: Source?,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock? = nil,
        completion: ImageCompletion? = nil
    ) -> DownloadTask? {
        guard let widget else {
            completion?(.failure(.requestError(reason: .asyncTaskContextCancelled)))
            return nil
        }
        return widget.keeping {
            // The caller's code runs first or last; a load started in between would be lost.
            if !options.keepCurrentImageWhileLoading { widget.finishTransition() }
            let superseded = forgetLoads()
            defer { superseded?.supersede() }
            followRow()
            guard let source else {
                return binding.load(
                    nil,
                    into: widget,
                    placeholder: placeholder,
                    options: options,
                    by: manager,
                    completion: completion
                )
            }
            let load = PendingLoad(
                source: source,
                placeholder: placeholder,
                options: options,
                manager: manager,
                progress: progress,
                completion: completion
            )
            load.handle.onCancel { [weak self, weak load] in
                Task { @MainActor in
                    if let load, self?.pending === load { self?.cancelPending() }
                }
            }
            guard isReady(load, hasWaited: false) else {
                hold(load)
                return load.handle
            }
            return begin(load) ? load.handle : nil
        }
    }

    /// Shows the caller's own image immediately, in its own size.
    package func setImage(_ image: KFCrossPlatformImage?) {
        widget?.keeping {
            forgetShownLoad()
            widget?.show(image, options: KingfisherParsedOptionsInfo(nil))
        }
    }

    /// Cancels the current load, even if it is still waiting.
    package func cancel() {
        inForce?.isSuspended = false
        if pending == nil { binding.cancel() } else { cancelPending() }
    }

    /// Waits until there is no current load and the last completion has been called.
    ///
    /// A load that restores the image of a view off screen is not waited for.
    package func waitUntilIdle() async {
        while let load = pending ?? inForce, !load.isRepeated { await load.waitUntilFinished() }
        await binding.waitUntilIdle()
    }

    /// Cancels the load and removes the image, for a cell without an item.
    ///
    /// The completion has been called when this returns, and nothing of the load is shown later.
    public func clear() {
        widget?.keeping {
            let running = inForce
            running?.isSuspended = false
            binding.cancel()
            cancelPending()
            if let running, running === inForce, binding.identifier != nil {
                // Its end is on its way to the main actor, and would be taken for that of the next.
                inForce = nil
                binding.supersede()
                running.cancel()
            }
            setImage(nil)
        }
    }

    /// Loads again if the last load has failed.
    public func retry() {
        guard let failed = failure else { return }
        widget?.keeping {
            if let onRetry { return onRetry() }
            failure = nil
            let load = failed.again()
            if isReady(load, hasWaited: false) { begin(load) } else { hold(load) }
        }
    }

    /// Forgets all loads, because another one begins.
    ///
    /// - Returns: The load that waited. Supersede it last, which calls the caller's code.
    private func forgetLoads() -> PendingLoad? {
        defer { pending = nil }
        kept = KeptImage(widget?.shownImage, imageLoad, isOfFailure: showsFailureImage)
        shownLoad = nil
        refinement = nil
        inForce = nil
        failure = nil
        return pending
    }

    private func endRefinement() {
        guard refinement != nil else { return }
        refinement = nil
        binding.cancel()
    }

    private func cancelPending() {
        let load = pending
        pending = nil
        load?.cancel()
    }

    /// Discards the load of the current image, because the caller shows another one.
    package func forgetShownLoad() {
        failure = nil
        shownLoad = nil
        kept = KeptImage()
        endRefinement()
        // Shown already, in a transition that has not ended.
        if binding.identifier == nil { inForce = nil }
        if pending?.isRepeated == true { cancelPending() }
    }

    // MARK: Waiting

    private func hold(_ load: PendingLoad) {
        pending = load
        load.handle.attachLookup(for: load.source)
        // The previous load is superseded, and the placeholder is shown from now on.
        if let widget { showPlaceholder(of: load, in: widget) }
        binding.supersede()
        widget?.requestLayout()
        planStart(of: load)
    }

    /// Plans what happens to a waiting load without a layout or a frame.
    private func planStart(of load: PendingLoad) {
        if loadsWhenVisible { endUnlessPlaced(load) } else { startSoon(load) }
    }

    /// Starts a load that still waits in a moment, even if the view has no size.
    private func startSoon(_ load: PendingLoad) {
        Task { [weak self, weak load] in
            await Self.rest(Self.patience)
            guard let self, widget != nil, let load, pending === load, !loadsWhenVisible else {
                return
            }
            begin(load)
        }
    }

    /// Starts the waiting load if its time has come; call it after each layout, and in the frames
    /// that ``ImageWidget/setNeedsFrames(_:)`` requests.
    ///
    /// - Parameter hasWaited: Whether the widget has been on screen for long enough. An image in
    ///   memory is shown before that.
    public func startPending(hasWaited: Bool) {
        guard let load = pending, isReady(load, hasWaited: mayStart?() ?? hasWaited) else { return }
        begin(load)
    }

    private func isReady(_ load: PendingLoad, hasWaited: Bool) -> Bool {
        guard let widget else { return false }
        let isSized = !needsSize(load.options) || widget.decodeBox != nil
        guard loadsWhenVisible else { return isSized }
        guard widget.isInSight else { return false }
        return hasWaited || isSized && isInMemory(load)
    }

    /// Ends a waiting load in the next iteration of the main loop if the view is in no window then:
    /// its completion may use the view, which would never end.
    ///
    /// The load waits on without a completion, for a view that returns.
    func planEndOfWaiting() {
        guard pending?.isRepeated == false, widget?.isInWindow == false else { return }
        Task { [weak self] in
            if let self, widget?.isInWindow == false { endWaiting() }
        }
    }

    /// The same for a view that was not put anywhere in a second, and sends no signal therefore.
    private func endUnlessPlaced(_ load: PendingLoad) {
        guard !load.isRepeated, widget?.hasParent == false else { return }
        Task { [weak self, weak load] in
            await Self.rest(.seconds(1))
            guard let self, pending === load, widget?.hasParent == false else { return }
            endWaiting()
        }
    }

    private func endWaiting() {
        guard let load = pending, !load.isRepeated else { return }
        widget?.keeping {
            pending = load.again()
            load.cancel()
        }
    }

    // MARK: Running

    /// Starts a load and links its handle.
    ///
    /// - Returns: Whether there is a task to cancel.
    @discardableResult
    private func begin(_ load: PendingLoad) -> Bool {
        guard let widget else { return false }
        pending = nil
        let needsSize = needsSize(load.options)
        let box = needsSize ? widget.likelyBox : nil
        load.decodedFor = box?.size
        load.isGuessed = needsSize && widget.decodeBox == nil
        var options = widget.extended(sized(load.options, for: box))
        // A priority of the caller's stays.
        if let interest, options.interest == nil, options.downloadPriority == 0.5 {
            options.interest = interest
        }
        let task = widget.keeping {
            // The caller's code runs first or last. A load that the indicator starts is superseded.
            showPlaceholder(of: load, in: widget)
            widget.loadWillStart()
            let superseded = forgetLoads()
            defer { superseded?.supersede() }
            inForce = load
            return binding.load(
                load.source,
                into: widget,
                placeholder: load.placeholder,
                options: options,
                by: load.manager,
                progress: load.progress
            ) { [weak self] result in
                guard let self, let widget = self.widget, inForce === load else {
                    return load.finish(result)
                }
                widget.keeping { end(load, result) }
            }
        }
        load.handle.endLookup()
        if let task { load.handle.link(to: task) }
        return task != nil
    }

    private func end(_ load: PendingLoad, _ result: Result<RetrieveImageResult, KingfisherError>) {
        inForce = nil
        switch result {
        case .success(let value):
            shownLoad = load
            kept = KeptImage()
            guard awaitsFileSize, load.decodedFor != nil else { break }
            return readFileSize(of: load, value)
        case .failure(let error) where !error.isCancellation:
            load.error = error
            failure = load
        case .failure where load.isSuspended: return waitAgain(load)
        case .failure: break
        }
        settle(load, result)
    }

    func settle(
        _ load: PendingLoad,
        _ result: Result<RetrieveImageResult, KingfisherError>
    ) {
        if shownLoad === load { onSettled?(load) }
        load.finish(result)
        // The view may have left the screen during the transition, or while the size was read.
        if widget?.isInSight == false { widgetDidDisappear() }
    }

    /// Stops the load, or releases the image, of a widget that loads only while visible.
    ///
    /// Call it when the widget has left the screen; the image is loaded again when it returns.
    /// Lists keep several times as many cells as are visible. Their images then remain only in the
    /// memory cache, which has a limit.
    public func widgetDidDisappear() {
        guard loadsWhenVisible, pending == nil, let widget else { return }
        if let load = inForce {
            load.isSuspended = true
            binding.cancel()
        } else if let load = shownLoad {
            endRefinement()
            shownLoad = nil
            pending = load.again()
            if load.placeholder == nil {
                widget.releaseImage()
            } else {
                widget.showPlaceholder(load.placeholder, options: load.options)
            }
        }
    }

    private func waitAgain(_ load: PendingLoad) {
        load.isSuspended = false
        guard !load.handle.isCancelled else { return load.cancel() }
        pending = load
        widget?.requestLayout()
        planEndOfWaiting()
    }
}
