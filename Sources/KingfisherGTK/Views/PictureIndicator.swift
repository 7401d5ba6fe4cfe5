#if GTK
public import Foundation
public import Kingfisher

/// The indicator that a view shows over its content during loads.
public enum PictureIndicator {
    /// No indicator.
    case none
    /// A ring of dots in the colour of the text, shown from a sixth of a second of loading on, so
    /// that fast loads do not flicker.
    case spinner
    /// An image in the centre.
    ///
    /// - Parameters:
    ///   - size: In logical pixels; nil fills the view as far as the aspect ratio allows.
    ///   - offset: From the centre, in logical pixels.
    case image(KFCrossPlatformImage, size: CGSize? = nil, offset: CGPoint = .zero)
    /// A custom indicator, for widgets beside or over the view. The closure is called with true
    /// when the first load starts and with false when the last one has ended.
    case custom((_ isLoading: Bool) -> Void)
}

/// The time between the start of a load and the appearance of the spinner.
struct SpinnerDelay {
    private static let seconds = 1.0 / 6
    private var start: Double?

    /// Whether it has passed at the time of a frame; it begins with the first frame.
    mutating func isOver(at time: Double) -> Bool {
        let start = start ?? time
        self.start = start
        return time - start >= Self.seconds
    }
}
#endif
