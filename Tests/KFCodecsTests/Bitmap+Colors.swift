import KFPixels

extension Bitmap {
    /// A bitmap of straight colours by position.
    init(
        _ size: PixelSize,
        isOpaque: Bool = true,
        color: (_ x: Int, _ y: Int) -> RGBA
    ) throws {
        try self.init(size: size, isOpaque: isOpaque) { pixels, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let color = color(x, y).premultiplied
                    let pixel = pixels + y * bytesPerRow + x * 4
                    (pixel[0], pixel[1]) = (color.red, color.green)
                    (pixel[2], pixel[3]) = (color.blue, color.alpha)
                }
            }
        }
    }

    /// The mean difference of all channels, in steps of 1 / 255; 256 for bitmaps of two sizes.
    func meanDifference(from other: Bitmap) -> Double {
        guard size == other.size else { return 256 }
        var sum = 0
        for y in 0..<height {
            for x in 0..<width {
                let (a, b) = (self[x, y], other[x, y])
                for channel in [\RGBA.red, \.green, \.blue, \.alpha] {
                    sum += abs(Int(a[keyPath: channel]) - Int(b[keyPath: channel]))
                }
            }
        }
        return Double(sum) / Double(width * height * 4)
    }
}
