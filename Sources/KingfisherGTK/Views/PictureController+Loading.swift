#if GTK
import CGTK
import CKFGTK
import Foundation
import Kingfisher

extension PictureController {
    /// Loads an image as ``ImageBinding`` does, decoded to the view's size.
    ///
    /// The load waits while the size of the view is unknown, or until the view has stayed on
    /// screen. An image in memory is shown as soon as the size is known, in the same frame.
    func load(
        _ source: Source?,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock?,
        completion: ImageBinding.Completion?
    ) -> DownloadTask? {
        keeping(picture) {
            // The caller's code runs first or last; a load started in between would be lost.
            if !options.keepCurrentImageWhileLoading { content.finishTransition() }
            let superseded = pending
            defer { superseded?.supersede() }
            pending = nil
            shownLoad = nil
            isRefining = false
            inForce = nil
            failure = nil
            guard let source else {
                return binding.load(
                    nil,
                    into: self,
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
            load.onCancel { [weak self] load in self?.cancelPending(load) }
            guard isReady(load, hasWaited: false) else {
                hold(load)
                return load.handle
            }
            return begin(load) ? load.handle : nil
        }
    }

    /// Cancels the current load, even if it is still waiting.
    func cancelLoad() {
        guard let waiting = pending else { return binding.cancel() }
        cancelPending(waiting)
    }

    private func cancelPending(_ load: PendingLoad) {
        guard pending === load else { return }
        pending = nil
        updateTicking()
        load.finish(.failure(PendingLoad.cancelled))
    }

    /// Cancels the current load, waiting or running.
    func forgetLoad() {
        failure = nil
        inForce?.isSuspended = false
        shownLoad = nil
        binding.cancel()
        if let pending { cancelPending(pending) }
    }

    /// Discards the data for reloading the current image, because the caller shows another one.
    func forgetShownLoad() {
        failure = nil
        shownLoad = nil
        if isRefining { binding.cancel() }
        if inForce?.isShown == true { inForce = nil }
        if let pending, pending.isRepeated { cancelPending(pending) }
    }

    var taskIdentifier: Source.Identifier.Value? { binding.identifier }

    // MARK: Waiting

    private func hold(_ load: PendingLoad) {
        pending = load
        // The previous load is superseded, and the placeholder is shown from now on.
        isHoldingImage = load.options.keepCurrentImageWhileLoading && content.image != nil
        binding.load(
            nil,
            into: self,
            placeholder: load.placeholder,
            options: load.options,
            by: load.manager
        )
        isHoldingImage = false
        sight.watch?.requestLayout()
        updateTicking()
        guard !sizing.loadsWhenVisible else { return }
        Task { [weak self, weak load] in
            await ViewSizing.rest(ViewSizing.patience)
            guard let self, let load, pending === load else { return }
            startPending()
        }
    }

    /// Memory is checked as soon as the size is known, even if the load waits for visibility.
    func startPendingIfSized() {
        guard let load = pending, isReady(load, hasWaited: mayStart?() ?? false) else { return }
        startPending()
    }

    func startPendingIfReady() {
        guard let load = pending, isReady(load, hasWaited: mayStart?() ?? (sight.frames > 2))
        else { return }
        startPending()
    }

    private func startPending() {
        guard let load = pending else { return }
        pending = nil
        keeping(picture) {
            _ = begin(load)
            updateTicking()
        }
    }

    private func isReady(_ load: PendingLoad, hasWaited: Bool) -> Bool {
        let isSized = !sizing.needsSize(load.options) || sizing.box != nil
        guard sizing.loadsWhenVisible else { return isSized }
        guard sight.isInSight else { return false }
        return hasWaited || isSized && isInMemory(load)
    }

    private func isInMemory(_ load: PendingLoad) -> Bool {
        let options = sizing.sized(load.options, for: sizing.box)
        guard !options.forceRefresh else { return false }
        let cache = options.targetCache ?? load.manager.cache
        let key = load.source.keyed(by: options.cacheKeyRule).cacheKey
        return cache.retrieveImageInMemoryCache(forKey: key, options: options) != nil
    }

    // MARK: Starting

    /// Starts a load and links its handle.
    ///
    /// - Returns: Whether there is a task to cancel.
    private func begin(_ load: PendingLoad) -> Bool {
        let needsSize = sizing.needsSize(load.options)
        let box = needsSize ? sizing.likelyBox : nil
        load.decodedFor = box?.size
        load.isGuessed = needsSize && sizing.box == nil
        var options = sizing.sized(load.options, for: box).givingTexture
        // A priority of the caller's stays.
        if let interest, options.interest == nil, options.downloadPriority == 0.5 {
            options.interest = interest
        }
        inForce = load
        failure = nil
        let task = binding.load(
            load.source,
            into: self,
            placeholder: load.placeholder,
            options: options,
            by: load.manager,
            progress: load.progress
        ) { [weak self] result in
            guard let self, inForce === load else { return load.finish(result) }
            keeping(picture) { end(load, result) }
        }
        if let task { load.handle.link(to: task) }
        return task != nil
    }

    private func end(_ load: PendingLoad, _ result: Result<RetrieveImageResult, KingfisherError>) {
        inForce = nil
        switch result {
        case .success: shownLoad = load
        case .failure(let error) where !error.isCancellation:
            failure = FailedLoad(load: load, error: error)
        case .failure where load.isSuspended: return waitAgain(load)
        case .failure: break
        }
        load.finish(result)
        // The image may have been on its way when the view left the screen.
        if !sight.isInSight { suspendIfInvisible() }
    }

    // MARK: Off screen

    /// Stops the load, or releases the image, of a view that loads only while visible; it is loaded
    /// again when the view returns.
    ///
    /// Lists keep several times as many cells as are visible. Their images then remain only in the
    /// memory cache, which has a limit.
    func suspendIfInvisible() {
        guard sizing.loadsWhenVisible, pending == nil else { return }
        if let load = inForce {
            load.isSuspended = true
            binding.cancel()
        } else if let load = shownLoad {
            shownLoad = nil
            pending = load.again()
            if load.placeholder == nil {
                content.release()
            } else {
                content.show(load.placeholder, isPlaceholder: true)
            }
        }
    }

    private func waitAgain(_ load: PendingLoad) {
        load.isSuspended = false
        guard !load.handle.isCancelled else {
            return load.finish(.failure(PendingLoad.cancelled))
        }
        pending = load
        sight.watch?.requestLayout()
        updateTicking()
        planEndOfWaiting()
    }

    /// Ends a waiting load in the next iteration of the main loop if the view is in no window then:
    /// its completion may use the view, which would never end.
    ///
    /// The load waits on without a completion, for a view that returns.
    func planEndOfWaiting() {
        guard pending?.isRepeated == false, gtk_widget_get_root(widget) == nil else { return }
        Task { [weak self] in
            guard let self, let load = pending, gtk_widget_get_root(widget) == nil else { return }
            keeping(picture) {
                pending = load.again()
                load.finish(.failure(PendingLoad.cancelled))
            }
        }
    }

    // MARK: Retrying

    /// Loads again if the last load has failed.
    func retry() {
        guard let failed = failure?.load else { return }
        if let onRetry { return onRetry() }
        keeping(picture) {
            failure = nil
            let load = failed.again()
            if isReady(load, hasWaited: false) { _ = begin(load) } else { hold(load) }
            updateTicking()
        }
    }
}

extension PictureController: NetworkListener {
    func networkReturned() {
        if sight.isInSight, sizing.loadsWhenVisible || retriesWhenOnline { retry() }
    }
}
#endif
