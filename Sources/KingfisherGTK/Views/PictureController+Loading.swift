#if GTK
import Foundation
import Kingfisher

extension PictureController {
    /// How long a view that has no size may take to get one before its image is decoded as it is.
    static let patience = Duration.milliseconds(100)

    /// Loads an image and shows it by the rules of ``ImageBinding``, in the view's size.
    ///
    /// While the size is not known yet, or while it is open whether the view stays on screen, the
    /// load waits; an image in memory is shown as soon as the size is known, in the same frame.
    func load(
        _ source: Source?,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock?,
        completion: ImageBinding.Completion?
    ) -> DownloadTask? {
        supersedePending()
        sizing.reload = nil
        shownLoad = nil
        isRefining = false
        inForce = nil
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
        if isReady(load, hasWaited: false) { return begin(load) }
        hold(load)
        return load.handle
    }

    /// Cancels the load in force, also one that still waits.
    func cancelLoad() {
        guard let waiting = pending else { return binding.cancel() }
        pending = nil
        updateTicking()
        waiting.finish(.failure(PendingLoad.cancelled))
    }

    /// Drops the load in force, whoever waits for it.
    func forgetLoad() {
        if let waiting = pending {
            pending = nil
            waiting.finish(.failure(PendingLoad.cancelled))
        }
        inForce?.isSuspended = false
        shownLoad = nil
        binding.cancel()
        updateTicking()
    }

    var taskIdentifier: Source.Identifier.Value? { binding.identifier }

    // MARK: Waiting

    private func hold(_ load: PendingLoad) {
        pending = load
        // The load before is no longer wanted, and the placeholder stands in from now on.
        isHoldingImage = load.options.keepCurrentImageWhileLoading && image != nil
        binding.load(
            nil,
            into: self,
            placeholder: load.placeholder,
            options: load.options,
            by: load.manager
        )
        isHoldingImage = false
        if isMapped { watch?.waitForLayout(self) }
        updateTicking()
        guard !sizing.loadsWhenVisible else { return }
        Task { [weak self, weak load] in
            // The sleep ends early only when the task is cancelled, which nobody does.
            try? await Task.sleep(for: Self.patience)
            guard let self, let load, pending === load else { return }
            startPending()
        }
    }

    private func supersedePending() {
        guard let waiting = pending else { return }
        pending = nil
        waiting.supersede()
    }

    func frameIsLaidOut() {
        guard let load = pending else { return }
        // The memory is looked into as soon as the size is known, whatever else is waited for.
        if isReady(load, hasWaited: false) { startPending() }
    }

    func startPendingIfReady() {
        guard let load = pending, isReady(load, hasWaited: framesSinceMapped > 2) else { return }
        startPending()
    }

    private func startPending() {
        guard let load = pending else { return }
        pending = nil
        load.handle.linkIfAny(begin(load))
        updateTicking()
    }

    private func isReady(_ load: PendingLoad, hasWaited: Bool) -> Bool {
        let isSized = !needsSize(load.options) || box != nil
        guard sizing.loadsWhenVisible else { return isSized }
        guard isMapped else { return false }
        return hasWaited || isSized && isInMemory(load)
    }

    private func isInMemory(_ load: PendingLoad) -> Bool {
        let options = sized(load.options)
        guard !options.forceRefresh else { return false }
        let cache = options.targetCache ?? load.manager.cache
        return cache.retrieveImageInMemoryCache(forKey: load.source.cacheKey, options: options)
            != nil
    }

    // MARK: Starting

    private func begin(_ load: PendingLoad) -> DownloadTask? {
        let options = sized(load.options).givingTexture
        let box = needsSize(load.options) ? self.box : nil
        inForce = load
        return binding.load(
            load.source,
            into: self,
            placeholder: load.placeholder,
            options: options,
            by: load.manager,
            progress: load.progress
        ) { [weak self] result in
            guard let self, inForce === load else { return load.finish(result) }
            inForce = nil
            if load.isSuspended, case .failure(let error) = result, error.isCancellation {
                return waitAgain(load)
            }
            if case .success = result {
                sizing.decodedFor = box
                sizing.reload = box == nil ? nil : (load.source, load.options, load.manager)
                shownLoad = load
            }
            load.finish(result)
        }
    }

    // MARK: Leaving the screen

    /// Stops the load of a view that only loads what is seen, or lets go of its image: it begins
    /// again when the view comes back.
    ///
    /// Lists keep several times as many cells as are seen. Their images belong to the memory cache,
    /// which has a limit.
    func suspendIfInvisible() {
        guard sizing.loadsWhenVisible, pending == nil else { return }
        if let load = inForce {
            load.isSuspended = true
            binding.cancel()
        } else if let load = shownLoad {
            shownLoad = nil
            pending = load.again()
            setImage(load.placeholder)
        }
    }

    private func waitAgain(_ load: PendingLoad) {
        load.isSuspended = false
        pending = load
        if isMapped { watch?.waitForLayout(self) }
        updateTicking()
    }
}

extension DownloadTask {
    fileprivate func linkIfAny(_ task: DownloadTask?) {
        if let task { link(to: task) }
    }
}
#endif
