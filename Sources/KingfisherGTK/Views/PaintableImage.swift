#if GTK
import CKFGTK
public import Foundation
public import Kingfisher

/// A GdkPaintable that loads its image, for widgets other than GtkPicture: GtkImage, AdwAvatar, the
/// child of a menu button, the icon of a drag.
///
/// ```swift
/// let image = PaintableImage(size: CGSize(width: 48, height: 48), fit: .cover)
/// image.show(in: avatar, property: "custom-image")
/// image.kf.setImage(with: url)
/// ```
///
/// A handle: loads belong to the GdkPaintable, and so to the widgets that show it. The image
/// appears without a transition. Animations play while one of the widgets is visible that
/// ``show(in:property:onlyLoaded:)`` was called with, and images are decoded for the densest of their
/// screens.
public final class PaintableImage: KingfisherCompatible {
    let state: PaintableState
    private let reference: WidgetReference
    private let address: UnsafeMutableRawPointer

    /// Makes an empty paintable.
    ///
    /// - Parameters:
    ///   - size: In logical pixels: images are decoded to this size, and widgets lay the paintable
    ///     out in it whatever the image. Nil keeps the size of the image.
    ///   - density: The screen's pixels per logical pixel, until a widget shows the image.
    ///   - fit: How images are fitted to the area that the widget provides.
    public init(size: CGSize? = nil, density: Double = 1, fit: PictureFit = .contain) {
        MainLoop.attach()
        guard let made = kf_paintable_new() else { preconditionFailure("GObject has no memory") }
        reference = WidgetReference(adopting: made)
        address = made
        state = PaintableState(made, size: size, density: density, fit: fit)
    }

    /// The GdkPaintable.
    public var paintable: OpaquePointer { OpaquePointer(address) }

    /// Shows the image in an object's property.
    ///
    /// - Parameters:
    ///   - object: A GObject, for example a GtkImage.
    ///   - property: A property of type GdkPaintable.
    ///   - onlyLoaded: Whether the property is null while there is no image, and after a failure
    ///     without a failure image. An AdwAvatar then shows the initials of its text.
    /// - Precondition: The object has that property.
    public func show(
        in object: UnsafeMutableRawPointer,
        property: String = "paintable",
        onlyLoaded: Bool = false
    ) {
        precondition(
            kf_object_set_paintable(object, property, onlyLoaded ? nil : address),
            "the object has no property '\(property)' that takes a GdkPaintable"
        )
        state.show(in: object, property, onlyLoaded: onlyLoaded)
        state.follow(object)
    }
}

extension KingfisherWrapper where Base: PaintableImage {
    /// Loads an image and shows it.
    ///
    /// The previous load is superseded, as in an ``ImageView``. If the paintable has a size and the
    /// options contain no processor, the image is decoded to that size.
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
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let manager = KingfisherManager.shared
        let options = manager.defaultOptions + (options ?? [])
        return base.state.load(
            source,
            placeholder: placeholder,
            options: KingfisherParsedOptionsInfo(options),
            by: manager,
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
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setImage(
            with: source,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads a resource, such as a URL, and shows the image.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
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
        completionHandler: ImageCompletion? = nil
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
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
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
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setImage(
            with: provider,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Cancels the current load; its completion receives the cancellation error.
    public func cancelDownloadTask() { base.state.binding.cancel() }

    /// The identifier of the current load; nil if there is none.
    public var taskIdentifier: Source.Identifier.Value? { base.state.binding.identifier }

    /// The current image; set it to show an image without a load.
    public var image: KFCrossPlatformImage? {
        get { base.state.image }
        nonmutating set { base.state.showOwn(newValue) }
    }
}
#endif
