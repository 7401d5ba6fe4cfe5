#if GTK
import CGTK
import Foundation
import Kingfisher

extension PictureController {
    /// How long a view that has no size may take to get one before its image is decoded as it is.
    private static let patience = Duration.milliseconds(100)

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
        if hasWaited && isMapped { return true }
        return isSized && isInMemory(load)
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
        let options = sized(load.options)
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
            }
            load.finish(result)
        }
    }

    // MARK: Leaving the screen

    /// Stops the load of a view that only loads what is seen; it begins again when it comes back.
    func suspendIfInvisible() {
        guard sizing.loadsWhenVisible, let load = inForce else { return }
        load.isSuspended = true
        binding.cancel()
    }

    private func waitAgain(_ load: PendingLoad) {
        load.isSuspended = false
        pending = load
        if isMapped { watch?.waitForLayout(self) }
        updateTicking()
    }

    // MARK: Size

    private func needsSize(_ options: KingfisherParsedOptionsInfo) -> Bool {
        sizing.decodeSize == .fitView && options.processor.identifier.isEmpty
    }

    /// The options with the view's size in them, where that is wanted and known.
    private func sized(_ options: KingfisherParsedOptionsInfo) -> KingfisherParsedOptionsInfo {
        guard needsSize(options), let box else { return options }
        var options = options
        if options.scaleFactor == 1 {
            options.scaleFactor = CGFloat(gtk_widget_get_scale_factor(widget))
        }
        options.processor = ViewSizeProcessor(size: box, covers: sizing.covers)
        // Another size is then made from the disk, not from the network.
        options.cacheOriginalImage = true
        return options
    }

    /// The size that the view has whatever it shows, in logical pixels; nil while there is none.
    var box: CGSize? {
        if let fixed = sizing.fixedBox { return fixed }
        var width: Int32 = 0
        var height: Int32 = 0
        gtk_widget_get_size_request(widget, &width, &height)
        if width > 0, height > 0, !expands {
            return CGSize(width: Int(width), height: Int(height))
        }
        width = gtk_widget_get_width(widget)
        height = gtk_widget_get_height(widget)
        guard width > 0, height > 0 else { return nil }
        let size = CGSize(width: Int(width), height: Int(height))
        // A view that is exactly as large as its image was given that size by it. The image then
        // says nothing about the next one's, unless it was itself decoded for the view.
        let isNatural =
            canvas.hasNaturalSize && image.map { $0.size == size } == true
            && sizing.decodedFor != size
        return isNatural ? nil : size
    }

    private var expands: Bool {
        gtk_widget_compute_expand(widget, GTK_ORIENTATION_HORIZONTAL) != 0
            || gtk_widget_compute_expand(widget, GTK_ORIENTATION_VERTICAL) != 0
    }

    /// The box in the screen's pixels.
    var boxInPixels: CGSize? {
        let scale = CGFloat(gtk_widget_get_scale_factor(widget))
        return box.map { CGSize(width: $0.width * scale, height: $0.height * scale) }
    }

    // MARK: Growing

    /// The picture is being painted: nothing may be changed now.
    func isPainted() {
        guard needsReload, !sizing.isReloadPlanned else { return }
        sizing.isReloadPlanned = true
        Task { [weak self] in
            // A window that is being dragged larger is waited for.
            // The sleep ends early only when the task is cancelled, which nobody does.
            try? await Task.sleep(for: Self.patience)
            self?.reloadIfNeeded()
        }
    }

    func sizeMayHaveChanged() {
        if pending == nil { reloadIfNeeded() }
    }

    private var needsReload: Bool {
        guard let decodedFor = sizing.decodedFor, sizing.reload != nil, let image, let box else {
            return false
        }
        let scale = CGFloat(gtk_widget_get_scale_factor(widget))
        let isLarger = box.width > decodedFor.width || box.height > decodedFor.height
        // A picture that has fewer pixels than it was asked for has no more.
        return (isLarger || scale > image.scale) && image.fills(decodedFor, covers: sizing.covers)
    }

    private func reloadIfNeeded() {
        sizing.isReloadPlanned = false
        guard pending == nil, binding.identifier == nil, needsReload,
            let (source, options, manager) = sizing.reload, let box
        else { return }
        var sized = sized(options)
        sized.transition = .none
        sized.keepCurrentImageWhileLoading = true
        sized.onFailureImage = .none
        isRefining = true
        binding.load(
            source,
            into: self,
            placeholder: nil,
            options: sized,
            by: manager,
            completion: { [weak self] result in
                self?.isRefining = false
                if case .success = result { self?.sizing.decodedFor = box }
            }
        )
    }
}

extension KFCrossPlatformImage {
    /// Whether the image was scaled down to a box, as opposed to being smaller by itself.
    fileprivate func fills(_ box: CGSize, covers: Bool) -> Bool {
        // One pixel is lost in rounding.
        let wide = size.width + 1 >= box.width
        let high = size.height + 1 >= box.height
        return covers ? wide && high : wide || high
    }
}

extension DownloadTask {
    fileprivate func linkIfAny(_ task: DownloadTask?) {
        if let task { link(to: task) }
    }
}
#endif
