#if GTK
import Foundation
import Kingfisher

/// Frames that were all decoded in advance.
nonisolated struct LoadedFrames: ImageFrameSource {
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
#endif
