#if GTK
import CKFGTK
public import Foundation
public import Kingfisher

/// A GdkPaintable that loads its image, for widgets that show one without being a GtkPicture:
/// GtkImage, AdwAvatar, the child of a menu button, the icon of a drag.
///
/// ```swift
/// let image = PaintableImage(size: CGSize(width: 48, height: 48), fit: .cover)
/// image.show(in: avatar, property: "custom-image")
/// image.kf.setImage(with: url)
/// ```
///
/// A handle: what is loaded belongs to the GdkPaintable, and so to the widgets that show it. The
/// image appears at once, because a paintable has no clock for transitions; of an animation it is
/// the first frame.
public final class PaintableImage: KingfisherCompatible {
    let state: PaintableState
    private let reference: GObjectReference

    /// Makes a paintable that shows nothing yet.
    ///
    /// - Parameters:
    ///   - size: In logical pixels; images are decoded to it. Nil keeps their own size.
    ///   - density: The screen's pixels per logical pixel.
    ///   - fit: How images lie in the area that the widget gives them.
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
    ///   - property: One that takes a GdkPaintable.
    /// - Precondition: The object has that property.
    public func show(in object: UnsafeMutableRawPointer, property: String = "paintable") {
        precondition(
            kf_object_set_paintable(object, property, reference.address),
            "the object has no property '\(property)' that takes a GdkPaintable"
        )
    }
}

extension KingfisherWrapper where Base: PaintableImage {
    /// Loads an image and shows it; see the overload for views.
    ///
    /// - Returns: The handle to cancel with; nil when a cache answers.
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

    /// The same, without reporting progress.
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

    /// Loads a resource, for example a URL, and shows it; see the overload for a source.
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

    /// The same, without reporting progress.
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

    /// Loads a provider's bytes and shows them; see the overload for a source.
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

    /// The same, without reporting progress.
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

    /// Cancels the load in force; its completion gets the cancel error.
    public func cancelDownloadTask() { base.state.binding.cancel() }

    /// The identifier of the load in force; nil when none has begun.
    public var taskIdentifier: Source.Identifier.Value? { base.state.binding.identifier }

    /// The image that is shown; set it to show one without loading.
    public var image: KFCrossPlatformImage? {
        get { base.state.image }
        nonmutating set { base.state.setImage(newValue) }
    }
}

/// The loads of one GdkPaintable; hangs on it and goes with it.
final class PaintableState: ImageBindingTarget {
    typealias PlaceholderContent = KFCrossPlatformImage

    private static let data = ObjectData<PaintableState>(name: "kingfisher-paintable")

    let binding = ImageBinding()
    private(set) var image: KFCrossPlatformImage?
    /// Not retained: it owns this object.
    private let paintable: UnsafeMutableRawPointer
    private let size: CGSize?
    private let density: CGFloat
    private let covers: Bool

    init(_ paintable: UnsafeMutableRawPointer, size: CGSize?, density: Double, fit: PictureFit) {
        self.paintable = paintable
        self.size = size
        self.density = CGFloat(density)
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
