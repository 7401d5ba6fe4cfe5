public import Foundation

/// Where the two images of a custom transition lie at one moment.
///
/// Whatever stands out over the view is cut off. The new image is in front unless said otherwise.
public struct TransitionFrame: Sendable, Equatable {
    /// One of the two images.
    public struct Layer: Sendable, Equatable {
        /// From 0, which paints nothing, to 1.
        public var opacity = 1.0
        /// About the middle of the view; at 0 nothing is painted.
        public var scale = CGSize(width: 1, height: 1)
        /// From its place, in widths and heights of the view.
        public var offset = CGPoint.zero
        /// Clockwise about the middle of the view, in degrees.
        public var rotation = 0.0

        /// An image in its place.
        public init() {}
    }

    /// What was shown before; nothing is painted where there was nothing.
    public var old = Layer()
    /// What has been loaded.
    public var new = Layer()
    /// Whether the old image covers the new one.
    public var isOldInFront = false

    /// Both images in their place.
    public init() {}
}
