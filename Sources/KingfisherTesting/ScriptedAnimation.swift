public import Foundation
public import Kingfisher

/// An animation of generated images, for tests of views that play animations.
///
/// ```swift
/// let animation = ScriptedAnimation([.solid(.red), .solid(.green)], secondsEach: 0.1)
/// let view = AnimatedImageView(frame: .zero, ticker: ticker)
/// view.image = animation.image
/// ```
public struct ScriptedAnimation: ImageFrameSource {
    private let pictures: [ScriptedPicture]
    private let seconds: TimeInterval

    /// Makes an animation.
    ///
    /// - Parameters:
    ///   - pictures: The frames; traps if empty.
    ///   - seconds: The duration of each frame, above 0.
    public init(_ pictures: [ScriptedPicture], secondsEach seconds: TimeInterval) {
        precondition(!pictures.isEmpty, "an animation needs at least one frame")
        precondition(seconds > 0, "the duration of a frame must be above 0, not \(seconds) s")
        self.pictures = pictures
        self.seconds = seconds
    }

    /// The animation as an image whose frames are made on demand.
    public var image: KFCrossPlatformImage {
        let image = KingfisherWrapper.animatedImage(source: self, options: ImageCreatingOptions())
        guard let image else { preconditionFailure("a scripted frame can always be made") }
        return image
    }

    /// Nil, because the frames are not from a file.
    public var data: Data? { nil }

    /// The number of frames.
    public var frameCount: Int { pictures.count }

    /// Returns a frame.
    ///
    /// - Parameters:
    ///   - index: 0…``frameCount`` − 1.
    ///   - maxSize: A size in points that larger frames are scaled down to fit; nil for full size.
    /// - Returns: The frame; nil for an index out of range.
    public func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        guard pictures.indices.contains(index) else { return nil }
        let image = pictures[index].image
        guard let maxSize, image.size.width > maxSize.width || image.size.height > maxSize.height
        else { return image }
        return image.kf.resize(to: maxSize, for: .aspectFit)
    }

    /// The duration of each frame in seconds.
    public func duration(at index: Int) -> TimeInterval { seconds }
}
