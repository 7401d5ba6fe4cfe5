public import Foundation

/// A button with two images: the counterpart of `NSButton`, without a display.
open class KFCrossPlatformButton: KFCrossPlatformView, KingfisherHasImageComponent {
    /// The image of the button.
    open var image: KFCrossPlatformImage?

    /// The image of the button while it is pressed or on.
    open var alternateImage: KFCrossPlatformImage?

    /// Makes a button without images.
    public override init(frame: CGRect = .zero) {
        super.init(frame: frame)
    }
}
