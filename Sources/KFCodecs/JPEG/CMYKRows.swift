/// Converts rows of CMYK to opaque RGBA in place, before they are resampled.
///
/// Uses the file's profile if there is one, and otherwise the formula of viewers without colour
/// management: the complement of each ink, darkened by black.
///
/// Ink is stored inverted, as Adobe's programs write it, whether or not the file has their APP14
/// segment: Pillow, ImageMagick and browsers read all files so, and other files do not occur.
struct CMYKRows {
    private let transform: ColorTransform?

    init(_ profile: ColorProfile?) { transform = profile?.makeInvertedCMYKTransform() }

    func convert(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
        if let transform { return transform.apply(row, width: width) }
        for x in 0..<width {
            let pixel = row + x * 4
            let light = UInt32(pixel[3])
            for channel in 0..<3 {
                let product = UInt32(pixel[channel]) * light + 128
                pixel[channel] = UInt8(truncatingIfNeeded: (product + (product >> 8)) >> 8)
            }
            pixel[3] = 255
        }
    }
}
