import Kingfisher

/// Keeps one frame of an animation, as a still image.
struct FrameProcessor: ImageProcessor {
    /// From 1.
    let number: Int

    var identifier: String { "kf.Frame(\(number))" }

    /// The frame; nil if the image has fewer.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: item, options: options)?.frame(number)
    }
}

extension KFCrossPlatformImage {
    /// The number of frames; 1 for a still image.
    var frameCount: Int { kf.frameSource?.frameCount ?? images?.count ?? 1 }

    /// A frame by its number from 1; nil if there are fewer, or if it is damaged.
    func frame(_ number: Int) -> KFCrossPlatformImage? {
        guard (1...max(1, frameCount)).contains(number) else { return nil }
        if let source = kf.frameSource { return source.frame(at: number - 1)?.kf.still }
        return (images?[number - 1] ?? self).kf.still
    }

    /// How long a frame is shown in seconds, by its number from 1; nil for a still image.
    func delay(ofFrame number: Int) -> Double? {
        guard frameCount > 1 else { return nil }
        return kf.frameSource?.duration(at: number - 1) ?? duration / Double(frameCount)
    }
}
