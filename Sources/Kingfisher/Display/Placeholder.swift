/// Something that an image view shows while its image loads.
public protocol Placeholder {
    /// Shows it on an image view.
    @MainActor
    func add(to imageView: KFCrossPlatformImageView)

    /// Takes it from the image view again.
    @MainActor
    func remove(from imageView: KFCrossPlatformImageView)
}

@MainActor
extension KFCrossPlatformImage: Placeholder {
    /// Shows the image as the view's own.
    public func add(to imageView: KFCrossPlatformImageView) {
        imageView.image = self
    }

    /// Clears the view's image.
    public func remove(from imageView: KFCrossPlatformImageView) {
        imageView.image = nil
    }

    /// Shows the image as the object's own.
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
    /// Lays this view over the image view, in the same size; what the image view shows stays.
    public func add(to imageView: KFCrossPlatformImageView) {
        frame = imageView.bounds
        imageView.addSubview(self)
    }

    /// Removes this view from the image view.
    public func remove(from imageView: KFCrossPlatformImageView) {
        removeFromSuperview()
    }
}
