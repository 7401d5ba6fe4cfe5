#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The loads of a view.
///
/// A load waits while the size of the view is unknown, or until the view has stayed on screen.
final class ViewLoader: ImageLoading {
    /// When loads start, if the caller has chosen it; otherwise rows of lists decide.
    var loadStart: LoadStart? {
        didSet { if let loadStart { loadsWhenVisible = loadStart == .whenVisible } }
    }
    /// Whether loads start by the rule of ``LoadStart/whenVisible``.
    var loadsWhenVisible = false {
        didSet {
            guard loadsWhenVisible != oldValue else { return }
            pendingChanged()
            if let pending { planStart(of: pending) }
        }
    }
    /// Whether a load of the view may start, in place of that rule.
    var mayStart: (() -> Bool)?
    /// When the image will be seen, if the view is a cell of a list.
    var interest: ImageInterest?
    /// Loads again in place of ``retry()``, for owners that observe the load.
    var onRetry: (() -> Void)?
    /// Whether a failed load is repeated when the network returns, even if the view does not load
    /// only while visible.
    var retriesWhenOnline = false
    /// Whether loads end only when the size of the file is known, even if the source has to be read
    /// again for it.
    var awaitsFileSize = false
    /// Called when the image of a load is shown, and the size of its file is known if that was
    /// requested.
    var onSettled: ((PendingLoad) -> Void)?
    /// A load that has not started.
    private(set) var pending: PendingLoad? {
        didSet { pendingChanged() }
    }
    /// The load of the current image.
    private(set) var shownLoad: PendingLoad?
    /// The current load, if it has failed.
    private(set) var failure: PendingLoad? {
        didSet {
            guard failure !== oldValue else { return }
            status.failure = failure?.error
            if failure != nil { NetworkReturn.shared.add(self) }
        }
    }
    /// A load that has started and not ended.
    private var inForce: PendingLoad?
    /// Receives a larger version of the current image while it loads.
    var refinement: Refinement?
    /// Whether a load has started and not ended.
    var isLoading: Bool { inForce != nil }
    let binding = ImageBinding()
    let picture: UnsafeMutableRawPointer
    let sight: ViewSight
    let sizing: ViewSizing
    private let status: ViewStatus
    let content: ViewContent

    init(_ sight: ViewSight, _ sizing: ViewSizing, _ status: ViewStatus, _ content: ViewContent) {
        picture = content.canvas.picture
        self.sight = sight
        self.sizing = sizing
        self.status = status
        self.content = content
        connect(picture, "notify::root") { [unowned self] in
            if pending != nil { followRow() }
            planEndOfWaiting()
        }
        connect(picture, "notify::parent") { [unowned self] in
            if pending != nil { followRow() }
            if !hasParent { planEndOfWaiting() }
        }
    }

    isolated deinit { NetworkReturn.shared.remove(ObjectIdentifier(self)) }

    private func pendingChanged() {
        sight.setMoving(.load, pending != nil && loadsWhenVisible)
    }

    // MARK: The caller's requests

    /// Loads an image as ``ImageBinding`` does, decoded to the view's size.
    ///
    /// An image in memory is shown as soon as the size is known, in the same frame.
    @discardableResult
    func load(
        _ source: Source?,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock? = nil,
        completion: ImageCompletion? = nil
    ) -> DownloadTask? {
        keeping(picture) {
            // The caller's code runs first or last; a load started in between would be lost.
            if !options.keepCurrentImageWhileLoading { content.finishTransition() }
            let superseded = forgetLoads()
            defer { superseded?.supersede() }
            followRow()
            guard let source else {
                var options = options
                options.keepCurrentImageWhileLoading = false
                return binding.load(
                    nil,
                    into: content,
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
    func setImage(_ image: KFCrossPlatformImage?) {
        keeping(picture) {
            forgetShownLoad()
            content.show(image)
        }
    }

    /// Cancels the current load, even if it is still waiting.
    func cancel() {
        inForce?.isSuspended = false
        if pending == nil { binding.cancel() } else { cancelPending() }
    }

    /// Waits until there is no current load and the last completion has been called.
    ///
    /// A load that restores the image of a view off screen is not waited for.
    func waitUntilIdle() async {
        while let load = pending ?? inForce, !load.isRepeated { await load.waitUntilFinished() }
        await binding.waitUntilIdle()
    }

    /// Cancels the load and removes the image, for a cell without an item.
    func clear() {
        keeping(picture) {
            inForce?.isSuspended = false
            binding.cancel()
            cancelPending()
            setImage(nil)
        }
    }

    /// Loads again if the last load has failed.
    func retry() {
        guard let failed = failure else { return }
        keeping(picture) {
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
    func forgetShownLoad() {
        failure = nil
        shownLoad = nil
        endRefinement()
        if content.showsLoad { inForce = nil }
        if pending?.isRepeated == true { cancelPending() }
    }

    // MARK: Waiting

    private func hold(_ load: PendingLoad) {
        pending = load
        // The previous load is superseded, and the placeholder is shown from now on.
        binding.load(
            nil,
            into: content,
            placeholder: load.placeholder,
            options: load.options,
            by: load.manager
        )
        sight.watch?.requestLayout()
        planStart(of: load)
    }

    /// Plans what happens to a waiting load without a layout or a frame.
    private func planStart(of load: PendingLoad) {
        if loadsWhenVisible { endUnlessPlaced(load) } else { startSoon(load) }
    }

    /// Starts a load that still waits in a moment, even if the view has no size.
    private func startSoon(_ load: PendingLoad) {
        Task { [weak self, weak load] in
            await ViewSizing.rest(ViewSizing.patience)
            guard let self, content.canvas.isAlive, let load, pending === load, !loadsWhenVisible
            else { return }
            begin(load)
        }
    }

    /// Starts the waiting load if its time has come.
    ///
    /// - Parameter hasWaited: Whether the view has been on screen for long enough; ``mayStart``
    ///   overrides it. An image in memory is shown before that.
    func startPending(hasWaited: Bool) {
        guard let load = pending, isReady(load, hasWaited: mayStart?() ?? hasWaited) else { return }
        begin(load)
    }

    private func isReady(_ load: PendingLoad, hasWaited: Bool) -> Bool {
        let isSized = !sizing.needsSize(load.options) || sizing.box != nil
        guard loadsWhenVisible else { return isSized }
        guard sight.isInSight else { return false }
        return hasWaited || isSized && isInMemory(load)
    }

    /// Ends a waiting load in the next iteration of the main loop if the view is in no window then:
    /// its completion may use the view, which would never end.
    ///
    /// The load waits on without a completion, for a view that returns.
    private func planEndOfWaiting() {
        guard pending?.isRepeated == false, !isInWindow else { return }
        Task { [weak self] in
            if let self, content.canvas.isAlive, !isInWindow { endWaiting() }
        }
    }

    /// The same for a view that was not put anywhere in a second, and sends no signal therefore.
    private func endUnlessPlaced(_ load: PendingLoad) {
        guard !load.isRepeated, !hasParent else { return }
        Task { [weak self, weak load] in
            await ViewSizing.rest(.seconds(1))
            guard let self, content.canvas.isAlive, pending === load, !hasParent else { return }
            endWaiting()
        }
    }

    private func endWaiting() {
        guard let load = pending, !load.isRepeated else { return }
        keeping(picture) {
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
        pending = nil
        let needsSize = sizing.needsSize(load.options)
        let box = needsSize ? sizing.likelyBox : nil
        load.decodedFor = box?.size
        load.isGuessed = needsSize && sizing.box == nil
        var options = sizing.sized(load.options, for: box).givingTexture
        // A priority of the caller's stays.
        if let interest, options.interest == nil, options.downloadPriority == 0.5 {
            options.interest = interest
        }
        let task = keeping(picture) {
            // The caller's code runs first or last. A load that the indicator starts is superseded.
            content.showPlaceholder(load.placeholder, options: options)
            content.countLoad()
            let superseded = forgetLoads()
            defer { superseded?.supersede() }
            inForce = load
            content.showsLoad = false
            return binding.load(
                load.source,
                into: content,
                placeholder: load.placeholder,
                options: options,
                by: load.manager,
                progress: load.progress
            ) { [weak self] result in
                guard let self, content.canvas.isAlive, inForce === load else {
                    return load.finish(result)
                }
                keeping(picture) { end(load, result) }
            }
        }
        if let task { load.handle.link(to: task) }
        return task != nil
    }

    private func end(_ load: PendingLoad, _ result: Result<RetrieveImageResult, KingfisherError>) {
        inForce = nil
        switch result {
        case .success(let value):
            shownLoad = load
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
        // The image may have been on its way when the view left the screen.
        if !sight.isInSight { suspendIfInvisible() }
    }

    /// Stops the load, or releases the image, of a view that loads only while visible; it is loaded
    /// again when the view returns.
    ///
    /// Lists keep several times as many cells as are visible. Their images then remain only in the
    /// memory cache, which has a limit.
    func suspendIfInvisible() {
        guard loadsWhenVisible, pending == nil else { return }
        if let load = inForce {
            load.isSuspended = true
            binding.cancel()
        } else if let load = shownLoad {
            endRefinement()
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
        guard !load.handle.isCancelled else { return load.cancel() }
        pending = load
        sight.watch?.requestLayout()
        planEndOfWaiting()
    }
}

extension ViewLoader: NetworkListener {
    func networkReturned() {
        if sight.isInSight, loadsWhenVisible || retriesWhenOnline { retry() }
    }
}
#endif
