/// Receives the result of a load, once, on the main actor.
public typealias ImageCompletion =
    @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

/// An object with a place for one image, on which `kf.setImage` works.
///
/// Image views, buttons and the widgets of `KingfisherGTK` conform. Conform to
/// ``KingfisherImageSettable`` or ``KingfisherHasImageComponent`` to add a type of your own.
@MainActor
public protocol ImageDisplaying: AnyObject {
    /// The type of the placeholder shown during a load.
    associatedtype PlaceholderContent

    /// The loads of the image.
    var imageLoads: ImageLoads<PlaceholderContent> { get }
}

/// A button with a second image, on which `kf.setAlternateImage` works.
public protocol AlternateImageDisplaying: ImageDisplaying {
    /// The loads of the alternate image.
    var alternateImageLoads: ImageLoads<PlaceholderContent> { get }
}

/// The loads of one image, as the methods of `kf` use them.
@MainActor
public struct ImageLoads<PlaceholderContent> {
    package let loader: any ImageLoading<PlaceholderContent>

    /// Makes the loads that an object carries out.
    package init(_ loader: any ImageLoading<PlaceholderContent>) {
        self.loader = loader
    }

    /// Makes the loads of a widget.
    public init(_ loader: ViewLoader) where PlaceholderContent == KFCrossPlatformImage {
        self.loader = loader
    }

    /// Loads with the default options of the shared manager, then those of the call.
    func load(
        _ source: Source?,
        _ placeholder: PlaceholderContent?,
        _ options: KingfisherOptionsInfo?,
        _ progress: DownloadProgressBlock?,
        _ completion: ImageCompletion?
    ) -> DownloadTask? {
        loader.load(
            source,
            placeholder: placeholder,
            options: KingfisherParsedOptionsInfo(forView: options),
            by: .shared,
            progress: progress,
            completion: completion
        )
    }
}

/// Carries out the loads of one image.
@MainActor
package protocol ImageLoading<PlaceholderContent>: AnyObject {
    /// The type of the placeholder shown during a load.
    associatedtype PlaceholderContent

    /// The current load.
    var binding: ImageBinding { get }

    /// Loads an image and shows it; see ``ImageBinding``.
    func load(
        _ source: Source?,
        placeholder: PlaceholderContent?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock?,
        completion: ImageCompletion?
    ) -> DownloadTask?

    /// Cancels the current load.
    func cancel()

    /// Waits until there is no current load and the last completion has been called.
    func waitUntilIdle() async
}

extension ImageLoading {
    /// Cancels the load of the binding.
    package func cancel() { binding.cancel() }

    /// Waits for the binding.
    package func waitUntilIdle() async { await binding.waitUntilIdle() }
}

extension ImageLoading where Self: ImageBindingTarget {
    /// Loads an image as ``ImageBinding`` does.
    package func load(
        _ source: Source?,
        placeholder: PlaceholderContent?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock?,
        completion: ImageCompletion?
    ) -> DownloadTask? {
        binding.load(
            source,
            into: self,
            placeholder: placeholder,
            options: extended(options),
            by: manager,
            progress: progress,
            completion: completion
        )
    }
}

extension KingfisherParsedOptionsInfo {
    /// Parses the options of a load into a view, after the default options of the shared manager.
    init(forView options: KingfisherOptionsInfo?) {
        self.init(KingfisherManager.shared.defaultOptions + (options ?? []))
    }
}
