import Foundation

/// Frames that were all decoded in advance.
struct LoadedFrames: ImageFrameSource {
    private let images: [KFCrossPlatformImage]
    private let each: TimeInterval

    /// The frames of an image; nil if it has fewer than two.
    init?(_ image: KFCrossPlatformImage) {
        guard let images = image.images, images.count > 1 else { return nil }
        self.images = images
        each = image.duration / Double(images.count)
    }

    var data: Data? { nil }

    var frameCount: Int { images.count }

    func frame(at index: Int, maxSize: CGSize?) -> KFCrossPlatformImage? {
        images.indices.contains(index) ? images[index] : nil
    }

    func duration(at index: Int) -> TimeInterval {
        // Browsers use the same duration for frames without one.
        each > 0.011 ? each : 0.1
    }
}

extension KFCrossPlatformImage {
    /// The frames that a view plays; nil for a still image.
    package var playableFrames: (any ImageFrameSource)? {
        let frames: (any ImageFrameSource)? = kf.frameSource ?? LoadedFrames(self)
        return frames.flatMap { $0.frameCount > 1 ? $0 : nil }
    }
}
