import Foundation
import KFCodecs
import KFPixels

/// Decodes only the part of a file that processors keep.
///
/// The pixels are those of the whole image, resized and cropped. Of a large JPEG whose crop is
/// small, most of the transform, the colours and the scaling are saved, and all that is below.
struct PartDecoding {
    private let data: Data
    private let target: PixelSize
    private let part: PixelRect
    private let scale: CGFloat
    private let prefersSpeed: Bool
    /// The steps after those that this decode includes.
    let rest: ArraySlice<any ImageProcessor>

    /// Makes a plan; nil unless the first step crops, or the first two resize and crop.
    ///
    /// - Parameters:
    ///   - data: Only JPEG and still PNG can be decoded in part.
    ///   - steps: The processors.
    ///   - options: Isolated ones leave the work to the worker.
    init?(
        _ data: Data,
        _ steps: ArraySlice<any ImageProcessor>,
        _ options: KingfisherParsedOptionsInfo
    ) {
        scale = options.scaleFactor
        guard let traits = steps.first.map(Traits.init(of:)) else { return nil }
        prefersSpeed = traits.prefersSpeed
        let rest = steps.dropFirst(traits.onlyResizes ? 1 : 0)
        // Without a readable header, the steps fail on their own. An image whose scale is out of
        // range gets the scale 1.
        guard !options.isolated, KFCrossPlatformImage.isScale(scale),
            let keptPart = rest.first.flatMap({ Traits(of: $0).keptPart }),
            let info = try? Codecs.inspect(data), [.jpeg, .png].contains(info.format),
            !info.isAnimated, info.frameCount != nil
        else { return nil }
        let own = info.displaySize
        let size = traits.onlyResizes ? traits.decodedSize(own, scale) : own
        guard let size, let part = keptPart(size, scale),
            PixelScope.allows(part.size)
        else { return nil }
        self.data = data
        target = size
        self.part = part
        self.rest = rest.dropFirst()
    }

    /// The image after the included steps; nil if the file cannot be decoded.
    func image() -> KFCrossPlatformImage? {
        // Processors return nil on failure; `UndecodableReason` finds the reason when it is needed.
        let decoded = try? Codecs.decode(
            data,
            options: DecodeOptions(
                target: .exact(target),
                part: part,
                isReducedLater: prefersSpeed
            )
        )
        return decoded.map { KFCrossPlatformImage(bitmap: $0.bitmap, scale: scale) }
    }
}

extension BuiltInProcessor {
    /// The part of a file that this processor alone keeps; nil for the usual way.
    func partDecoding(
        _ item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo
    ) -> PartDecoding? {
        guard case .data(let data) = item else { return nil }
        return PartDecoding(data, [self], options)
    }
}
