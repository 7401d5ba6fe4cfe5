/// A row of premultiplied pixels and the backdrop onto which it is blended, eight pixels at a time.
struct BlendRow {
    typealias Pixels = SIMD8<UInt32>

    let source: UnsafePointer<UInt8>
    let backdrop: UnsafeMutablePointer<UInt8>
    let width: Int
    /// The opacity of the source, 0…255.
    let opacity: UInt16

    /// Replaces the backdrop with the result of `blended`.
    ///
    /// The last pixels are padded with clear ones.
    @inline(__always)
    func replace(_ blended: (_ top: Pixels, _ bottom: Pixels) -> Pixels) {
        let input = UnsafeRawPointer(source)
        let output = UnsafeMutableRawPointer(backdrop)
        let strength = PixelPairs.Lanes(repeating: opacity)
        var x = 0
        while x &+ 8 <= width {
            var top = input.loadUnaligned(fromByteOffset: x &* 4, as: Pixels.self)
            let bottom = output.loadUnaligned(fromByteOffset: x &* 4, as: Pixels.self)
            if opacity < 255 { top = (PixelPairs(top) * strength).dividedBy255 }
            output.storeBytes(of: blended(top, bottom), toByteOffset: x &* 4, as: Pixels.self)
            x &+= 8
        }
        while x < width {
            var top = Pixels(repeating: 0)
            var bottom = Pixels(repeating: 0)
            top[0] = input.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self)
            bottom[0] = output.loadUnaligned(fromByteOffset: x &* 4, as: UInt32.self)
            if opacity < 255 { top = (PixelPairs(top) * strength).dividedBy255 }
            output.storeBytes(of: blended(top, bottom)[0], toByteOffset: x &* 4, as: UInt32.self)
            x &+= 1
        }
    }
}
