/// A view or image that an image view shows during a load.
public protocol Placeholder {
    /// Shows the placeholder on an image view.
    @MainActor
    func add(to imageView: KFCrossPlatformImageView)

    /// Removes the placeholder from an image view.
    @MainActor
    func remove(from imageView: KFCrossPlatformImageView)
}

@MainActor
extension KFCrossPlatformImage: Placeholder {
    /// Sets the image as the view's image.
    public func add(to imageView: KFCrossPlatformImageView) {
        imageView.image = self
    }

    /// Clears the view's image.
    public func remove(from imageView: KFCrossPlatformImageView) {
        imageView.image = nil
    }

    /// Sets the image as the object's image.
    public func add(to base: any KingfisherHasImageComponent) {
        base.image = self
    }

    /// Clears the object's image.
    public func remove(from base: any KingfisherHasImageComponent) {
        base.image = nil
    }
}

@MainActor
extension Placeholder where Self: KFCrossPlatformView {
    /// Adds this view on top of the image view at the same size; the view's image is kept.
    public func add(to imageView: KFCrossPlatformImageView) {
        frame = imageView.bounds
        imageView.addSubview(self)
    }

    /// Removes this view from the image view.
    public func remove(from imageView: KFCrossPlatformImageView) {
        removeFromSuperview()
    }
}
