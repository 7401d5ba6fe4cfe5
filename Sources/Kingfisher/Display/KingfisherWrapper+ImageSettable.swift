@MainActor
extension KingfisherWrapper where Base: KingfisherImageSettable {
    /// Loads an image and shows it; an image in memory is shown before the call returns.
    ///
    /// The previous load is superseded: its completion receives `notCurrentSourceTask` and its
    /// image is not shown. Its download continues and is cached, unless its options contain
    /// `cancelWhenSuperseded`.
    ///
    /// - Parameters:
    ///   - source: The source of the image; nil shows the placeholder and fails with `emptySource`.
    ///   - placeholder: Shown during the load; nil clears the current image, unless the options
    ///     contain `keepCurrentImageWhileLoading`.
    ///   - options: Override the shared manager's default options.
    ///   - progressBlock: Called on the main queue while a download of known length runs.
    ///   - completionHandler: Called exactly once, on the main actor.
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
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
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Loads a resource and shows the image.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
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
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
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

    /// Loads the image of a provider and shows it.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
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

    /// Loads the image of a provider and shows it, without reporting progress.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
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

    /// The identifier of the current load; nil if there is none.
    public var taskIdentifier: Source.Identifier.Value? {
        ImageSlot.existing(.image, of: base)?.binding.identifier
    }

    /// Waits until there is no current load and the last completion handler has been called.
    ///
    /// Returns immediately if nothing is loading. Use it in tests, and before taking a screenshot.
    /// Cancelling the waiting task does not end the wait.
    public func waitUntilLoaded() async {
        await ImageSlot.existing(.image, of: base)?.binding.waitUntilIdle()
    }

    /// Cancels the current load; its completion receives the cancellation error.
    public func cancelDownloadTask() {
        ImageSlot.existing(.image, of: base)?.binding.cancel()
    }
}

/// An object that an image can be set on; conformance adds `.kf.setImage(with:)`.
///
/// ```swift
/// final class Avatar: KingfisherImageSettable {
///     var picture: KFCrossPlatformImage?
///     func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
///         picture = image
///     }
///     func getImage() -> KFCrossPlatformImage? { picture }
/// }
/// ```
public protocol KingfisherImageSettable: KingfisherCompatible {
    /// Sets the image.
    ///
    /// - Parameters:
    ///   - image: The image; nil removes the current one.
    ///   - options: The options of the load.
    @MainActor
    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo)

    /// Returns the current image.
    @MainActor
    func getImage() -> KFCrossPlatformImage?
}

/// An object with an image property; conformance adds `.kf.setImage(with:)`.
public protocol KingfisherHasImageComponent: KingfisherImageSettable {
    /// The current image.
    @MainActor
    var image: KFCrossPlatformImage? { get set }
}

extension KingfisherHasImageComponent {
    /// Sets the image property.
    ///
    /// - Parameters:
    ///   - image: The image; nil removes the current one.
    ///   - options: Ignored.
    @MainActor
    public func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        self.image = image
    }

    /// Reads the image property.
    @MainActor
    public func getImage() -> KFCrossPlatformImage? { image }
}
