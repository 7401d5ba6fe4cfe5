#if GTK
import CKFGTK
import Foundation
import Kingfisher

extension PictureController {
    /// How long a view that has no size may take to get one before its image is decoded as it is.
    static let patience = Duration.milliseconds(100)

    /// Waits; tests put something else in.
    static var rest: (Duration) async -> Void = {
        // It ends early only in a cancelled task, and these are not.
        try? await Task.sleep(for: $0)
    }

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
        keepingPicture {
            // The caller's code comes first or last: in between, what it loads would get lost.
            if !options.keepCurrentImageWhileLoading { finishTransition() }
            let superseded = pending
            defer { superseded?.supersede() }
            pending = nil
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
            load.onCancel { [weak self] load in self?.cancelPending(load) }
            guard isReady(load, hasWaited: false) else {
                hold(load)
                return load.handle
            }
            return begin(load) ? load.handle : nil
        }
    }

    /// Cancels the load in force, also one that still waits.
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

    /// Drops the load in force, whoever waits for it.
    func forgetLoad() {
        inForce?.isSuspended = false
        shownLoad = nil
        binding.cancel()
        if let pending { cancelPending(pending) }
    }

    /// Drops what would bring the image of the last load back: the caller shows something else.
    func forgetShownLoad() {
        sizing.decodedFor = nil
        sizing.reload = nil
        shownLoad = nil
        if let pending, pending.isRepeated { cancelPending(pending) }
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
        watch?.requestLayout()
        updateTicking()
        guard !sizing.loadsWhenVisible else { return }
        Task { [weak self, weak load] in
            await Self.rest(Self.patience)
            guard let self, let load, pending === load else { return }
            startPending()
        }
    }

    /// The memory is looked into as soon as the size is known, whatever else is waited for.
    func startPendingIfSized() {
        guard let load = pending, isReady(load, hasWaited: false) else { return }
        startPending()
    }

    func startPendingIfReady() {
        guard let load = pending, isReady(load, hasWaited: framesInSight > 2) else { return }
        startPending()
    }

    private func startPending() {
        guard let load = pending else { return }
        pending = nil
        keepingPicture {
            _ = begin(load)
            updateTicking()
        }
    }

    private func isReady(_ load: PendingLoad, hasWaited: Bool) -> Bool {
        let isSized = !needsSize(load.options) || box != nil
        guard sizing.loadsWhenVisible else { return isSized }
        guard isInSight else { return false }
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

    /// Begins a load, which its handle cancels from now on.
    ///
    /// - Returns: Whether there is anything to cancel.
    private func begin(_ load: PendingLoad) -> Bool {
        let box = needsSize(load.options) ? likelyBox : nil
        let isGuessed = needsSize(load.options) && self.box == nil
        let options = sized(load.options, for: box).givingTexture
        inForce = load
        noteFailure(false)
        let task = binding.load(
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
                sizing.decodedFor = box?.size
                sizing.isGuessed = isGuessed
                let isSized = needsSize(load.options)
                sizing.reload = isSized ? (load.source, load.options, load.manager) : nil
                shownLoad = load
            }
            if case .failure(let error) = result { noteFailure(!error.isCancellation) }
            load.finish(result)
        }
        if let task { load.handle.link(to: task) }
        return task != nil
    }

    private func noteFailure(_ isFailure: Bool) {
        guard isFailure != hasFailed else { return }
        hasFailed = isFailure
        kf_widget_set_failed(picture, isFailure)
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
            if load.placeholder == nil { releaseImage() } else { setImage(load.placeholder) }
        }
    }

    private func waitAgain(_ load: PendingLoad) {
        load.isSuspended = false
        guard !load.handle.isCancelled else {
            return load.finish(.failure(PendingLoad.cancelled))
        }
        pending = load
        watch?.requestLayout()
        updateTicking()
    }
}
#endif
