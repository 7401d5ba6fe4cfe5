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
/// appears without a transition, because a paintable has no clock; of an animation only the first
/// frame is shown.
public final class PaintableImage: KingfisherCompatible {
    let state: PaintableState
    private let reference: GObjectReference

    /// Makes an empty paintable.
    ///
    /// - Parameters:
    ///   - size: In logical pixels; images are decoded to this size. Nil keeps their own size.
    ///   - density: The screen's pixels per logical pixel.
    ///   - fit: How images are fitted to the area that the widget provides.
    public init(size: CGSize? = nil, density: Double = 1, fit: PictureFit = .contain) {
        MainLoop.attach()
        guard let made = kf_paintable_new() else { preconditionFailure("GObject has no memory") }
        reference = GObjectReference(adopting: made)
        state = PaintableState(made, size: size, density: density, fit: fit)
    }

    isolated deinit {}

    /// The GdkPaintable.
    public var paintable: OpaquePointer { OpaquePointer(reference.address) }

    /// Shows the image in an object's property.
    ///
    /// - Parameters:
    ///   - object: A GObject, for example a GtkImage.
    ///   - property: A property of type GdkPaintable.
    /// - Precondition: The object has that property.
    public func show(in object: UnsafeMutableRawPointer, property: String = "paintable") {
        precondition(
            kf_object_set_paintable(object, property, reference.address),
            "the object has no property '\(property)' that takes a GdkPaintable"
        )
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
        nonmutating set { base.state.setImage(newValue) }
    }
}

/// The loads of a GdkPaintable; attached to it and released with it.
final class PaintableState: ImageBindingTarget {
    typealias PlaceholderContent = KFCrossPlatformImage

    private static let data = ObjectData<PaintableState>(name: "kingfisher-paintable")

    let binding = ImageBinding()
    private(set) var image: KFCrossPlatformImage?
    /// Not retained, because it owns this object.
    private let paintable: UnsafeMutableRawPointer
    private let size: CGSize?
    private let density: CGFloat
    private let covers: Bool

    init(_ paintable: UnsafeMutableRawPointer, size: CGSize?, density: Double, fit: PictureFit) {
        self.paintable = paintable
        let isUsable = size.map { $0.width.isFinite && $0.height.isFinite } ?? false
        self.size = isUsable ? size : nil
        self.density = density.isFinite && density > 0 ? CGFloat(density) : 1
        covers = fit == .cover || fit == .fill
        kf_paintable_set_fit(paintable, KFFit(fit))
        kf_paintable_set_density(paintable, density)
        Self.data.set(self, on: paintable)
    }

    isolated deinit { binding.cancel() }

    var shownImage: KFCrossPlatformImage? { image }

    func showPlaceholder(_ content: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        setImage(content)
    }

    func show(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        setImage(image)
    }

    func setImage(_ image: KFCrossPlatformImage?) {
        guard image !== self.image else { return }
        self.image = image
        let texture = image?.texture
        withExtendedLifetime(texture) {
            kf_paintable_set_texture(paintable, texture?.address, Double(image?.scale ?? 1))
        }
    }

    func load(
        _ source: Source?,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherParsedOptionsInfo,
        by manager: KingfisherManager,
        progress: DownloadProgressBlock?,
        completion: ImageBinding.Completion?
    ) -> DownloadTask? {
        var options = options.givingTexture
        if let size, options.processor.identifier.isEmpty {
            if options.scaleFactor == 1 { options.scaleFactor = density }
            options.processor = ViewSizeProcessor(
                size: size,
                density: options.scaleFactor,
                covers: covers
            )
            options.cacheOriginalImage = true
        }
        return binding.load(
            source,
            into: self,
            placeholder: placeholder,
            options: options,
            by: manager,
            progress: progress,
            completion: completion
        )
    }
}
#endif
