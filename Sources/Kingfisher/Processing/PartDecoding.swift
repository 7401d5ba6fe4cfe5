import Foundation
import KFCodecs
import KFPixels

/// A processor that can keep a rectangle of an image, and change nothing in it.
protocol PartKeeping: ImageProcessor {
    /// The rectangle that is kept of an image of `size` pixels, within it; nil if other pixels are
    /// added, or nothing is left.
    func keptPart(of size: PixelSize, scale: CGFloat) -> PixelRect?
}

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
        let sizing = steps.first as? any SizedDecoding
        let isSized = sizing is ResizingImageProcessor || sizing is DownsamplingImageProcessor
        prefersSpeed = (sizing as? ResizingImageProcessor)?.prefersSpeed ?? false
        let rest = steps.dropFirst(isSized ? 1 : 0)
        // Without a readable header, the steps fail on their own. An image whose scale is out of
        // range gets the scale 1.
        guard !options.isolated, KFCrossPlatformImage.isScale(scale),
            let keeping = rest.first as? any PartKeeping,
            let info = try? Codecs.inspect(data), [.jpeg, .png].contains(info.format),
            !info.isAnimated, info.frameCount != nil
        else { return nil }
        let own = info.displaySize
        let size = isSized ? sizing?.decodedSize(of: own, scale: scale) : own
        guard let size, let part = keeping.keptPart(of: size, scale: scale),
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

extension PartKeeping {
    /// The part of a file that this processor alone keeps; nil for the usual way.
    func partDecoding(
        _ item: ImageProcessItem,
        _ options: KingfisherParsedOptionsInfo
    ) -> PartDecoding? {
        guard case .data(let data) = item else { return nil }
        return PartDecoding(data, [self], options)
    }
}

extension CroppingImageProcessor: PartKeeping {
    func keptPart(of size: PixelSize, scale: CGFloat) -> PixelRect? {
        size.part(of: self.size, anchor: anchor, scale: scale)
    }
}

extension PaddingImageProcessor: PartKeeping {
    func keptPart(of size: PixelSize, scale: CGFloat) -> PixelRect? {
        let margins = [top, left, bottom, right].map { ($0 * scale).rounded() }
        guard margins.allSatisfy({ $0 <= 0 && $0 > -1_048_576 }) else { return nil }
        let cut = margins.map { -Int($0) }
        let part = PixelRect(
            x: cut[1],
            y: cut[0],
            width: size.width - cut[1] - cut[3],
            height: size.height - cut[0] - cut[2]
        )
        return part.isEmpty ? nil : part
    }
}
