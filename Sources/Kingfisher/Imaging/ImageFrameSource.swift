public import Foundation

/// Random access to the frames of an animation.
public protocol ImageFrameSource: Sendable {
    /// The whole encoded data, if known.
    var data: Data? { get }

    /// The number of frames.
    var frameCount: Int { get }

    /// Decodes a frame; nil when the index is out of range or the frame is damaged.
    ///
    /// - Parameters:
    ///   - index: 0…``frameCount`` − 1.
    ///   - maxSize: A box in pixels that the frame is to fit in; nil for its full size.
    /// - Returns: The frame, or nil.
    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage?

    /// Seconds that a frame is shown.
    func duration(at index: Int) -> TimeInterval

    /// An independent copy for another reader.
    func copy() -> Self
}

extension ImageFrameSource {
    /// Decodes a frame at its full size.
    public func frame(at index: Int) -> KFCrossPlatformImage? {
        frame(at: index, maxSize: nil)
    }

    /// The source itself.
    public func copy() -> Self { self }
}
