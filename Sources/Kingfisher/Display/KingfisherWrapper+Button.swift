@MainActor
extension KingfisherWrapper where Base: KFCrossPlatformButton {
    /// Cancels the load of the button's image; its completion gets the cancel error.
    public func cancelImageDownloadTask() {
        cancelDownloadTask()
    }

    /// Loads an image and shows it as the button's alternate image.
    ///
    /// Independent of what is loaded as the button's image; otherwise like
    /// `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// The same, without reporting progress.
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

    /// The same, without reporting progress.
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

    /// Loads a provider's bytes and shows them as the button's alternate image.
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

    /// The same, without reporting progress.
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

    /// The identifier of the load of the alternate image; nil when none is in force.
    public var alternateTaskIdentifier: Source.Identifier.Value? {
        ImageSlot.existing(.alternateImage, of: base)?.binding.identifier
    }

    /// Cancels the load of the alternate image; its completion gets the cancel error.
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
