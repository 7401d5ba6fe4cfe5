@MainActor
extension KingfisherWrapper where Base: KFCrossPlatformButton {
    /// Cancels the load of the button's image; its completion receives the cancellation error.
    public func cancelImageDownloadTask() {
        cancelDownloadTask()
    }

    /// Loads an image and shows it as the button's alternate image.
    ///
    /// Independent of the load of the button's image. The parameters are those of
    /// `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
    ///
    /// - Parameters:
    ///   - source: The source of the image; nil shows the placeholder and fails with `emptySource`.
    ///   - placeholder: Shown during the load; nil clears the alternate image, unless the options
    ///     contain `keepCurrentImageWhileLoading`.
    ///   - options: Override the shared manager's default options.
    ///   - progressBlock: Called on the main queue while a download of known length runs.
    ///   - completionHandler: Called exactly once, on the main actor.
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
    @discardableResult
    public func setAlternateImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        ImageSlot.alternateImage(of: base).load(
            source,
            placeholder: placeholder,
            options: KingfisherParsedOptionsInfo(forView: options),
            progress: progressBlock,
            completion: completionHandler
        )
    }

    /// Loads an alternate image without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: source,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads a resource and shows it as the button's alternate image.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)` for a
    /// source.
    @discardableResult
    public func setAlternateImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: resource?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads an alternate image without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: resource,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads the image of a provider and shows it as the button's alternate image.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)` for a
    /// source.
    @discardableResult
    public func setAlternateImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: provider?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads an alternate image without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setAlternateImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: provider,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// The identifier of the current load of the alternate image; nil if there is none.
    public var alternateTaskIdentifier: Source.Identifier.Value? {
        ImageSlot.existing(.alternateImage, of: base)?.binding.identifier
    }

    /// Cancels the load of the alternate image; its completion receives the cancellation error.
    public func cancelAlternateImageDownloadTask() {
        ImageSlot.existing(.alternateImage, of: base)?.binding.cancel()
    }
}

extension ImageSlot {
    static func alternateImage(of button: KFCrossPlatformButton) -> ImageSlot {
        named(.alternateImage, of: button) {
            ImageSlot(
                of: button,
                get: { $0.alternateImage },
                set: { button, image, _ in button.alternateImage = image }
            )
        }
    }
}
