extension ThumbHash {
    /// The average colour.
    package var averageColor: RGBA {
        let header = Header(bytes)
        return Self.colour(header.luma, header.yellow, header.red, header.alpha)
    }

    /// Decodes the hash to a blurred bitmap whose longer side is 32 pixels.
    ///
    /// - Throws: ``PixelError/outOfMemory(bytes:)``.
    package func bitmap() throws(PixelError) -> Bitmap {
        let header = Header(bytes)
        let ratio = aspectRatio
        let size = PixelSize(
            width: max(1, Int((ratio > 1 ? 32 : 32 * ratio).rounded())),
            height: max(1, Int((ratio > 1 ? 32 / ratio : 32).rounded()))
        )
        var reader = Reader(bytes: bytes, next: header.start * 2)
        let luma = Plane(header.luma, header.codedWidth, header.codedHeight, size)
            .reading(&reader, header.lumaScale)
        // The stored range of the chroma planes is 1.25 times the scale.
        let yellow = Plane(header.yellow, 3, 3, size).reading(&reader, header.yellowScale * 1.25)
        let red = Plane(header.red, 3, 3, size).reading(&reader, header.redScale * 1.25)
        let alpha =
            header.hasAlpha
            ? Plane(header.alpha, 5, 5, size).reading(&reader, header.alphaScale) : nil
        return try Bitmap(size: size, isOpaque: !header.hasAlpha) { out, bytesPerRow in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let pixel = Self.colour(
                        luma.value(x, y),
                        yellow.value(x, y),
                        red.value(x, y),
                        alpha?.value(x, y) ?? 1
                    ).premultiplied
                    let place = out + y * bytesPerRow + x * Bitmap.bytesPerPixel
                    place[0] = pixel.red
                    place[1] = pixel.green
                    place[2] = pixel.blue
                    place[3] = pixel.alpha
                }
            }
        }
    }

    private static func colour(
        _ luma: Double,
        _ yellow: Double,
        _ red: Double,
        _ alpha: Double
    ) -> RGBA {
        func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(1, value)) * 255) }
        let blue = luma - 2 / 3 * yellow
        let first = (3 * luma - blue + red) / 2
        return RGBA(
            red: byte(first),
            green: byte(first - red),
            blue: byte(blue),
            alpha: byte(alpha)
        )
    }

    /// Reads four bits at a time, the low half of each byte first.
    private struct Reader {
        let bytes: [UInt8]
        var next: Int

        mutating func value() -> Double {
            let byte = bytes[next / 2]
            let nibble = next.isMultiple(of: 2) ? byte & 15 : byte >> 4
            next += 1
            return Double(nibble) / 7.5 - 1
        }
    }

    /// One channel's frequencies and the cosine tables for their sum.
    private struct Plane {
        private let constant: Double
        private let width: Int
        private let height: Int
        private let across: [Double]
        private let down: [Double]
        private var factors: [Double] = []

        init(_ constant: Double, _ width: Int, _ height: Int, _ size: PixelSize) {
            self.constant = constant
            self.width = width
            self.height = height
            across = CosineTransform.table(count: width, length: size.width, shift: 0.5)
            down = CosineTransform.table(count: height, length: size.height, shift: 0.5)
        }

        func reading(_ reader: inout Reader, _ scale: Double) -> Plane {
            var plane = self
            for _ in 0..<ThumbHash.count(width, height) {
                plane.factors.append(reader.value() * scale)
            }
            return plane
        }

        func value(_ x: Int, _ y: Int) -> Double {
            var sum = constant
            var next = 0
            for v in 0..<height {
                for u in (v == 0 ? 1 : 0)..<ThumbHash.frequencies(in: v, width, height) {
                    sum += factors[next] * across[x * width + u] * down[y * height + v] * 2
                    next += 1
                }
            }
            return sum
        }
    }
}
