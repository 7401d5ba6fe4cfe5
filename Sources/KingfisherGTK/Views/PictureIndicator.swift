#if GTK
public import Foundation
public import Kingfisher

/// What a picture shows while its image loads, over whatever else it shows.
public enum PictureIndicator {
    /// Nothing.
    case none
    /// A ring of dots in the colour of the text.
    case spinner
    /// A picture in the middle.
    ///
    /// - Parameters:
    ///   - size: In logical pixels; nil fills the view as far as the ratio allows.
    ///   - offset: From the centre, in logical pixels.
    case image(KFCrossPlatformImage, size: CGSize? = nil, offset: CGPoint = .zero)
    /// One of the caller's: called with true when the first load begins and with false when the
    /// last has ended. For widgets that stand beside or over the picture.
    case custom((_ isLoading: Bool) -> Void)
}
#endif
