import Foundation

extension ViewLoader {
    // MARK: Sizes

    /// How long a load waits for the size of the view; after that the image is decoded in its own
    /// size.
    package static let patience = Duration.milliseconds(100)

    /// Waits for a duration; tests replace it.
    package static var rest: (Duration) async -> Void = {
        // Throws only if the task is cancelled, and these tasks are not.
        try? await Task.sleep(for: $0)
    }

    /// Whether loads with these options decode to the size of the widget.
    package func needsSize(_ options: KingfisherParsedOptionsInfo) -> Bool {
        decodeSize == .fitView && options.processor.identifier.isEmpty
    }

    /// The options extended by a size, if it is needed and known.
    package func sized(
        _ options: KingfisherParsedOptionsInfo,
        for box: DecodeBox?
    ) -> KingfisherParsedOptionsInfo {
        guard needsSize(options), let box, let widget else { return options }
        return options.decoding(to: box, density: widget.density)
    }

    /// Whether the image of a load can be shown without waiting.
    func isInMemory(_ load: PendingLoad) -> Bool {
        let options = sized(load.options, for: widget?.decodeBox)
        guard !options.forceRefresh else { return false }
        let cache = options.targetCache ?? load.manager.cache
        let key = load.source.keyed(by: options.cacheKeyRule).cacheKey
        return cache.retrieveImageInMemoryCache(forKey: key, options: options) != nil
    }

    // MARK: The image on screen

    /// The load that the current image comes from, also if it stays while another one loads, or after
    /// that has failed.
    package var imageLoad: PendingLoad? { shownLoad ?? kept.load(of: widget?.shownImage) }

    /// Whether the current image is that of a failure, also while another load runs.
    package var showsFailureImage: Bool {
        guard let shown = widget?.shownImage else { return false }
        let image = failure?.options.onFailureImage ?? nil
        return shown === image || kept.isOfFailure(shown)
    }

    /// Keeps the current image, if the options say so, also while the load waits.
    func showPlaceholder(of load: PendingLoad, in widget: any ImageWidget) {
        guard !load.options.keepCurrentImageWhileLoading || widget.shownImage == nil else { return }
        widget.showPlaceholder(load.placeholder, options: load.options)
    }

    // MARK: Place

    /// Waits for the visibility of a widget in a row of a list, unless the caller has chosen otherwise.
    ///
    /// Lists show many times as many rows as are visible, and a row may have made the view just now.
    func followRow() {
        if loadStart == nil, !loadsWhenVisible, widget?.isInList == true { loadsWhenVisible = true }
    }

    /// The widget was put into another widget or window, or taken out.
    package func widgetDidMove(isRemoved: Bool) {
        if pending != nil { followRow() }
        if isRemoved { planEndOfWaiting() }
    }

    /// Repeats a failed load, because the widget has come on screen.
    public func widgetDidAppear() { if loadsWhenVisible || onRetry != nil { retry() } }

    /// Repeats a failed load, because the network is available again.
    package func networkReturned() {
        if widget?.isInSight == true, loadsWhenVisible || retriesWhenOnline { retry() }
    }

    // MARK: Larger versions

    /// Whether the still image has too few pixels for the view, or far too many.
    package var needsReload: Bool {
        guard let load = shownLoad, load.isGuessed || load.decodedFor != nil, let widget,
            let image = widget.shownImage, image.playableFrames == nil, let box = widget.decodeBox
        else { return false }
        return load.needsReload(image, in: box, density: widget.density)
    }

    /// Loads a larger version of a still image for a widget that has grown, or has come to a denser
    /// screen, unless a load waits or runs; call it once the size has settled.
    public func reloadIfNeeded() {
        guard pending == nil, binding.identifier == nil, needsReload, let load = shownLoad,
            let widget, let box = widget.decodeBox
        else { return }
        let options = widget.extended(sized(load.options, for: box)).refining
        let refinement = Refinement { [weak self] in self?.widget?.show($0, options: options) }
        self.refinement = refinement
        binding.load(
            load.source,
            into: refinement,
            placeholder: nil,
            options: options,
            by: load.manager,
            completion: { [weak self, weak refinement] result in
                guard let self, let refinement, self.refinement === refinement else { return }
                self.refinement = nil
                guard case .success = result else { return }
                load.decodedFor = box.size
                load.isGuessed = false
            }
        )
    }

    // MARK: The size of the file

    /// Reads the size of the file before the load ends.
    func readFileSize(of load: PendingLoad, _ result: RetrieveImageResult) {
        Task { [weak self] in
            load.fileSize = await load.readFileSize(of: result, onlyFromCache: false)
            // The image was shown, even if another one or nothing follows by now.
            guard let self, let widget else { return load.finish(.success(result)) }
            widget.keeping { settle(load, .success(result)) }
        }
    }

    /// The size of the current image's file in logical pixels.
    ///
    /// The first call for an image that was decoded in another size returns that, and requests the
    /// size of the file; ``onSettled`` is called when that is known.
    package var naturalSize: CGSize? {
        guard let widget, !widget.showsPlaceholder, let image = widget.shownImage else {
            return nil
        }
        guard let load = shownLoad, load.decodedFor != nil else { return image.size }
        guard let size = load.fileSize else {
            requestFileSize(of: load)
            return image.size
        }
        return size.scaled(by: 1 / load.options.scaleFactor)
    }

    /// Whether ``naturalSize`` will not change any more for the image of a load.
    package func knowsNaturalSize(of load: PendingLoad) -> Bool {
        load.decodedFor == nil || load.fileSize != nil
    }

    private func requestFileSize(of load: PendingLoad) {
        guard !load.isFileSizeRequested else { return }
        load.isFileSizeRequested = true
        Task { [weak self] in
            // Decoding to a size keeps the file in the cache.
            let size = await load.readFileSize(of: nil, onlyFromCache: true)
            guard let self, let widget, shownLoad === load else { return }
            load.fileSize = size ?? widget.shownImage?.size.scaled(by: load.options.scaleFactor)
            widget.keeping { onSettled?(load) }
        }
    }
}
