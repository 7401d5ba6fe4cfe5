private import CKFKernels

/// Multiplies the colours of one row by their alpha, in place, rounded to nearest.
///
/// - Parameters:
///   - row: `width` pixels of straight RGBA.
///   - width: In pixels.
///   - backend: Both give the same pixels.
package func premultiplyRow(
    _ row: UnsafeMutablePointer<UInt8>,
    width: Int,
    backend: Convolution.Backend = Convolution.backend
) {
    #if arch(x86_64) || arch(arm64)
    if backend == .twin { return kf_premultiply_row(row, row, width) }
    #endif
    let pixels = UnsafeMutableRawPointer(row)
    var x = 0
    while x + 8 <= width {
        let block = pixels.loadUnaligned(fromByteOffset: x * 4, as: SIMD8<UInt32>.self)
        let colours = (PixelPairs(block) * PixelPairs.alphas(of: block)).dividedBy255
        let result = (colours & 0x00FF_FFFF) | (block & 0xFF00_0000)
        pixels.storeBytes(of: result, toByteOffset: x * 4, as: SIMD8<UInt32>.self)
        x += 8
    }
    for x in x..<width {
        let pixel = pixels.loadUnaligned(fromByteOffset: x * 4, as: UInt32.self)
        let alpha = pixel >> 24
        if alpha == 255 { continue }
        // Red and blue share one multiplication: each product stays within its own 16 bits.
        var redBlue = (pixel & 0x00FF_00FF) &* alpha &+ 0x0080_0080
        redBlue = ((redBlue &+ ((redBlue >> 8) & 0x00FF_00FF)) >> 8) & 0x00FF_00FF
        var green = ((pixel >> 8) & 0xFF) &* alpha &+ 0x80
        green = ((green &+ (green >> 8)) >> 8) & 0xFF
        pixels.storeBytes(
            of: redBlue | green << 8 | alpha << 24,
            toByteOffset: x * 4,
            as: UInt32.self
        )
    }
}

/// Divides the colours of one row by their alpha, rounded to nearest.
///
/// Transparent pixels become zero.
///
/// - Parameters:
///   - source: `width` pixels of premultiplied RGBA.
///   - target: Has room for as many; may be `source` itself.
///   - width: In pixels.
///   - backend: Both give the same pixels.
package func unpremultiplyRow(
    from source: UnsafePointer<UInt8>,
    to target: UnsafeMutablePointer<UInt8>,
    width: Int,
    backend: Convolution.Backend = Convolution.backend
) {
    #if arch(x86_64) || arch(arm64)
    if backend == .twin { return kf_unpremultiply_row(source, target, width) }
    #endif
    let input = UnsafeRawPointer(source)
    let output = UnsafeMutableRawPointer(target)
    for x in 0..<width {
        let pixel = input.loadUnaligned(fromByteOffset: x * 4, as: UInt32.self)
        let alpha = pixel >> 24
        var straight = pixel
        if alpha == 0 {
            straight = 0
        } else if alpha < 255 {
            let red = min(255, ((pixel & 0xFF) &* 255 &+ alpha / 2) / alpha)
            let green = min(255, (((pixel >> 8) & 0xFF) &* 255 &+ alpha / 2) / alpha)
            let blue = min(255, (((pixel >> 16) & 0xFF) &* 255 &+ alpha / 2) / alpha)
            straight = red | green << 8 | blue << 16 | alpha << 24
        }
        output.storeBytes(of: straight, toByteOffset: x * 4, as: UInt32.self)
    }
}
