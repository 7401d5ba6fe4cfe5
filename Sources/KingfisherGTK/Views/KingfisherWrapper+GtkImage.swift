#if GTK
public import CKFGTKHeaders
public import Kingfisher

extension KingfisherWrapper where Base: GtkPictureProviding {
    /// A widget that is shown in place of the image while there is none; nil, the default, for none.
    ///
    /// It is shown before and during a load, and after a failure, unless the load has a placeholder
    /// image. It is a child of the GtkPicture, which is at least as large as it.
    public var placeholderWidget: UnsafeMutablePointer<GtkWidget>? {
        get { base.controller.canvas.standIn }
        nonmutating set { base.controller.canvas.standIn = newValue }
    }

    /// The error of the last load; nil during a load, after a success, and after a cancellation.
    ///
    /// A failed view with ``LoadStart/whenVisible`` loads again when it is seen again, and when the
    /// network returns while it is seen.
    public var failure: KingfisherError? { base.controller.loader.failure?.error }

    /// Loads again if the last load has failed; its completion handler is not called again.
    public func retry() { base.controller.loader.retry() }

    /// The indicator shown during loads.
    public var indicator: PictureIndicator {
        get { base.controller.indicator.kind }
        nonmutating set { base.controller.indicator.kind = newValue }
    }

    /// The sign over images; nil, the default, for none.
    ///
    /// ```swift
    /// view.kf.setImage(with: VideoFrameDataProvider(url: film))
    /// view.kf.badge = .video()
    /// ```
    public var badge: PictureBadge? {
        get { base.controller.status.badge }
        nonmutating set { base.controller.status.badge = newValue }
    }

    /// The current image; setting it shows an image without a load.
    public var image: KFCrossPlatformImage? {
        get { base.controller.content.image }
        nonmutating set { base.controller.loader.setImage(newValue) }
    }

    /// The size to which images are decoded.
    public var decodeSize: DecodeSize {
        get { base.controller.loader.decodeSize }
        nonmutating set { base.controller.loader.decodeSize = newValue }
    }

    /// When loads start; unless it is set, ``LoadStart/whenVisible`` in the rows of an
    /// ``ImageRowFactory``, otherwise ``LoadStart/immediately``.
    public var loadStart: LoadStart {
        get { base.controller.loader.loadsWhenVisible ? .whenVisible : .immediately }
        nonmutating set { base.controller.loader.loadStart = newValue }
    }
}
#endif
