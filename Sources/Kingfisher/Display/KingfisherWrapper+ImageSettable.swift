@MainActor
extension KingfisherWrapper where Base: KingfisherImageSettable {
    /// Loads an image and shows it; an image in memory is shown before the call returns.
    ///
    /// A load that was under way is superseded: its completion gets `notCurrentSourceTask`, its
    /// image is not shown, its download goes on into the cache unless its options say
    /// `cancelWhenSuperseded`.
    ///
    /// - Parameters:
    ///   - source: Where the image comes from; nil shows the placeholder and gives `emptySource`.
    ///   - placeholder: Shown meanwhile; nil clears what is shown, unless
    ///     `keepCurrentImageWhileLoading` is among the options.
    ///   - options: Over the shared manager's default options.
    ///   - progressBlock: Called on the main queue while the download has a known length.
    ///   - completionHandler: Called exactly once, on the main actor.
    /// - Returns: The handle to cancel with; nil when a cache answers.
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        ImageSlot.image(of: base).load(
            source,
            placeholder: placeholder,
            options: KingfisherParsedOptionsInfo(forView: options),
            progress: progressBlock,
            completion: completionHandler
        )
    }

    /// Loads a source and shows the image, without reporting progress.
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setImage(
            with: source,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads a resource and shows the image; see the flavour for a source.
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads a resource and shows the image, without reporting progress.
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads a provider's bytes and shows the image; see the flavour for a source.
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setImage(
            with: provider?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads a provider's bytes and shows the image, without reporting progress.
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: (
            @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask? {
        setImage(
            with: provider,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// The identifier of the load in force; nil when none is.
    public var taskIdentifier: Source.Identifier.Value? {
        ImageSlot.existing(.image, of: base)?.binding.identifier
    }

    /// Waits until no load is in force, and the completion of the last one has been called.
    ///
    /// Returns at once when nothing loads. For tests, and before a picture of the screen is taken;
    /// cancelling the waiting task does not end the wait.
    public func waitUntilLoaded() async {
        await ImageSlot.existing(.image, of: base)?.binding.waitUntilIdle()
    }

    /// Cancels the load in force; its completion gets the cancel error.
    public func cancelDownloadTask() {
        ImageSlot.existing(.image, of: base)?.binding.cancel()
    }
}
