extension BlurHash {
    /// Decodes the hash to a blurred bitmap.
    ///
    /// - Parameters:
    ///   - size: In pixels. 32 on the longer side is enough; scale the result up.
    ///   - punch: A factor for the contrast; 1 is that of the hash.
    /// - Returns: An opaque bitmap of `size`.
    /// - Throws: ``PixelError`` if the size is out of range or memory cannot be allocated.
    package func bitmap(size: PixelSize, punch: Double = 1) throws(PixelError) -> Bitmap {
        try PixelLimits.check(size)
        let factors = factors(punch: punch)
        let across = CosineTransform.table(count: columns, length: size.width, shift: 0)
        let down = CosineTransform.table(count: rows, length: size.height, shift: 0)
        return try Bitmap(size: size, isOpaque: true) { out, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    var light = SIMD3<Double>(repeating: 0)
                    for v in 0..<rows {
                        for u in 0..<columns {
                            let wave = across[x * columns + u] * down[y * rows + v]
                            light += factors[v * columns + u] * wave
                        }
                    }
                    let pixel = out + y * bytesPerRow + x * Bitmap.bytesPerPixel
                    pixel[0] = LinearLight.byte(light.x)
                    pixel[1] = LinearLight.byte(light.y)
                    pixel[2] = LinearLight.byte(light.z)
                    pixel[3] = 255
                }
            }
        }
    }
}
