#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Rotates the bitmap clockwise on a canvas that holds all of it.
///
/// Multiples of 90° are exact. Other angles are sampled bilinearly, and the edges fade over one
/// pixel.
///
/// - Parameters:
///   - source: Any size.
///   - degrees: Clockwise. NaN and infinity count as 0.
///   - background: Fills the rest of the canvas.
/// - Returns: A new bitmap, or `source` itself for a full turn.
/// - Throws: ``PixelError`` if the canvas would be too large or memory cannot be allocated.
package func rotate(
    _ source: Bitmap,
    degrees: Double,
    background: RGBA = .clear
) throws(PixelError) -> Bitmap {
    var angle = degrees.isFinite ? degrees.truncatingRemainder(dividingBy: 360) : 0
    if angle < 0 { angle += 360 }
    switch angle {
    case 0, 360: return source
    case 90: return try reorient(source, .right)
    case 180: return try reorient(source, .down)
    case 270: return try reorient(source, .left)
    default: break
    }
    let rotation = Rotation(of: source, radians: angle * Double.pi / 180)
    let turned = try Bitmap(size: rotation.canvas, isOpaque: false) { out, bytesPerRow in
        let work = rotation.canvas.width * rotation.canvas.height
        RowBands.run(rows: rotation.canvas.height, work: work) { rows in
            for y in rows { rotation.writeRow(y, to: out + y * bytesPerRow) }
        }
    }
    return try fillBackground(turned, color: background)
}

/// The map from the rotated canvas back to the bitmap, in 48.16 fixed point.
private struct Rotation {
    let source: Bitmap
    let canvas: PixelSize
    private let cosine: Double
    private let sine: Double

    init(of source: Bitmap, radians: Double) {
        self.source = source
        cosine = cos(radians)
        sine = sin(radians)
        let width = Double(source.width)
        let height = Double(source.height)
        // Slightly less than the exact size: rounding must not add an empty row.
        canvas = PixelSize(
            width: Int((width * abs(cosine) + height * abs(sine) - 1e-6).rounded(.up)),
            height: Int((width * abs(sine) + height * abs(cosine) - 1e-6).rounded(.up))
        )
    }

    func writeRow(_ y: Int, to out: UnsafeMutablePointer<UInt8>) {
        let one = 65_536.0
        let dx = 0.5 - Double(canvas.width) / 2
        let dy = Double(y) + 0.5 - Double(canvas.height) / 2
        // Pixel centres lie at halves; the sampler expects them at whole numbers.
        let startX = cosine * dx + sine * dy + Double(source.width) / 2 - 0.5
        let startY = cosine * dy - sine * dx + Double(source.height) / 2 - 0.5
        var fixedX = Int((startX * one).rounded())
        var fixedY = Int((startY * one).rounded())
        let stepX = Int((cosine * one).rounded())
        let stepY = Int((-sine * one).rounded())
        source.withPixels { pixels, stride in
            for x in 0..<canvas.width {
                sample(pixels, stride, fixedX, fixedY, into: out + x * 4)
                fixedX += stepX
                fixedY += stepY
            }
        }
    }

    /// The weighted mean of four neighbours; those outside are transparent.
    @inline(__always)
    private func sample(
        _ pixels: UnsafePointer<UInt8>,
        _ stride: Int,
        _ fixedX: Int,
        _ fixedY: Int,
        into out: UnsafeMutablePointer<UInt8>
    ) {
        let x = fixedX >> 16
        let y = fixedY >> 16
        guard x >= -1, y >= -1, x < source.width, y < source.height else { return }
        let right = UInt32((fixedX >> 8) & 0xFF)
        let down = UInt32((fixedY >> 8) & 0xFF)
        let hasLeft = x >= 0
        let hasRight = x + 1 < source.width
        let hasTop = y >= 0
        let hasBottom = y + 1 < source.height
        let corner = UnsafeRawPointer(pixels) + y * stride + x * 4
        func read(_ exists: Bool, _ offset: Int) -> UInt32 {
            exists ? corner.load(fromByteOffset: offset, as: UInt32.self) : 0
        }
        let one = read(hasLeft && hasTop, 0)
        let two = read(hasRight && hasTop, 4)
        let three = read(hasLeft && hasBottom, stride)
        let four = read(hasRight && hasBottom, stride + 4)
        for channel: UInt32 in 0..<4 {
            let shift = channel * 8
            let upper =
                ((one >> shift) & 0xFF) &* (256 &- right) &+ ((two >> shift) & 0xFF) &* right
            let lower =
                ((three >> shift) & 0xFF) &* (256 &- right) &+ ((four >> shift) & 0xFF) &* right
            let sum = upper &* (256 &- down) &+ lower &* down &+ 32_768
            out[Int(channel)] = UInt8(truncatingIfNeeded: sum >> 16)
        }
    }
}
