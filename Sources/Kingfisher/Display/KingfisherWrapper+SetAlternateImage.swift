@MainActor
extension KingfisherWrapper where Base: AlternateImageDisplaying {
    private var loads: ImageLoads<Base.PlaceholderContent> { base.alternateImageLoads }

    /// Loads an image and shows it as the button's alternate image.
    ///
    /// Independent of the load of the button's image. A GTK button shows it while it is pressed or
    /// checked, and its image until this one is loaded. The parameters are those of
    /// `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with source: Source?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        loads.load(source, placeholder, options, progressBlock, completionHandler)
    }

    /// Loads a source and shows the alternate image, without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with source: Source?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        loads.load(source, placeholder, options, nil, completionHandler)
    }

    /// Loads a resource and shows the alternate image.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with resource: (any Resource)?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let source = resource?.convertToSource()
        return loads.load(source, placeholder, options, progressBlock, completionHandler)
    }

    /// Loads a resource and shows the alternate image, without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with resource: (any Resource)?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let source = resource?.convertToSource()
        return loads.load(source, placeholder, options, nil, completionHandler)
    }

    /// Loads the image of a provider and shows the alternate image.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with provider: (any ImageDataProvider)?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let source = provider?.convertToSource()
        return loads.load(source, placeholder, options, progressBlock, completionHandler)
    }

    /// Loads the image of a provider and shows the alternate image, without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with provider: (any ImageDataProvider)?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let source = provider?.convertToSource()
        return loads.load(source, placeholder, options, nil, completionHandler)
    }

    /// The identifier of the current load of the alternate image; nil if there is none.
    public var alternateTaskIdentifier: Source.Identifier.Value? {
        loads.loader.binding.identifier
    }

    /// Cancels the load of the button's image; its completion receives the cancellation error.
    public func cancelImageDownloadTask() { cancelDownloadTask() }

    /// Cancels the load of the alternate image; its completion receives the cancellation error.
    public func cancelAlternateImageDownloadTask() { loads.loader.cancel() }
}
