/// Converts rows of CMYK to opaque RGBA in place, before they are resampled.
///
/// Uses the file's profile if there is one, and otherwise the formula of viewers without colour
/// management: the complement of each ink, darkened by black.
struct CMYKRows {
    private let transform: ColorTransform?
    private let isInverted: Bool

    init(_ header: JPEGHeader, _ profile: ColorProfile?) {
        // Adobe's programs store inverted ink, and only they write the APP14 segment.
        isInverted = header.adobeTransform != nil
        transform = profile?.makeCMYKTransform(isInverted: isInverted)
    }

    func convert(_ row: UnsafeMutablePointer<UInt8>, width: Int) {
        if let transform { return transform.apply(row, width: width) }
        let flip: UInt8 = isInverted ? 0 : 255
        for x in 0..<width {
            let pixel = row + x * 4
            let light = UInt32(pixel[3] ^ flip)
            for channel in 0..<3 {
                let product = UInt32(pixel[channel] ^ flip) * light + 128
                pixel[channel] = UInt8(truncatingIfNeeded: (product + (product >> 8)) >> 8)
            }
            pixel[3] = 255
        }
    }
}
