import CKFCodecShims
import KFPixels

/// The part of an AVIF's frames that is shown, before they are turned.
///
/// Source: ISO/IEC 14496-12, 12.1.4 (clean aperture). Nil without one, and for one that is invalid: sides and place have to be
/// whole numbers inside of the image, and even where colours have half the samples.
struct AVIFAperture {
    let rect: PixelRect

    init?(_ pointer: UnsafePointer<avifImage>) {
        let transform = kf_avif_transform_of(pointer)
        guard transform.flags & UInt32(AVIF_TRANSFORM_CLAP.rawValue) != 0 else { return nil }
        let image = pointer.pointee
        let clap = transform.aperture
        guard let width = Self.whole(clap.width.0, clap.width.1),
            let height = Self.whole(clap.height.0, clap.height.1),
            let x = Self.start(width, Int(image.width), clap.x.0, clap.x.1),
            let y = Self.start(height, Int(image.height), clap.y.0, clap.y.1)
        else { return nil }
        let isHalved = (
            x: [AVIF_PIXEL_FORMAT_YUV420, AVIF_PIXEL_FORMAT_YUV422].contains(image.yuvFormat),
            y: image.yuvFormat == AVIF_PIXEL_FORMAT_YUV420
        )
        guard !isHalved.x || x % 2 == 0, !isHalved.y || y % 2 == 0 else { return nil }
        rect = PixelRect(x: x, y: y, width: width, height: height)
    }

    private static func whole(_ numerator: UInt32, _ denominator: UInt32) -> Int? {
        guard denominator > 0, numerator > 0, numerator % denominator == 0 else { return nil }
        return Int(numerator / denominator)
    }

    /// The first column or row: the middle of the part is an offset away from that of the image.
    private static func start(
        _ length: Int,
        _ all: Int,
        _ offset: UInt32,
        _ divisor: UInt32
    ) -> Int? {
        let (offset, divisor) = (Int(Int32(bitPattern: offset)), 2 * Int(divisor))
        guard divisor > 0, length <= all else { return nil }
        let (middle, isTooLarge) = (all - length).multipliedReportingOverflow(by: divisor / 2)
        let (sum, overflows) = middle.addingReportingOverflow(2 * offset)
        guard !isTooLarge, !overflows, sum % divisor == 0 else { return nil }
        let start = sum / divisor
        return start >= 0 && start <= all - length ? start : nil
    }
}
