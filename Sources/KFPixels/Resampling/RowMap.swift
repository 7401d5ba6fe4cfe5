/// Creates a bitmap of the same size row by row, in concurrent bands if that is faster.
///
/// `body` receives a source row, the target row and the row number, and must write every pixel.
/// `isLight` means that it does so little that another thread only pays off from a megapixel on.
func mapRows(
    _ source: Bitmap,
    isOpaque: Bool,
    isLight: Bool = false,
    _ body: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void
) throws(PixelError) -> Bitmap {
    try Bitmap(size: source.size, isOpaque: isOpaque) { out, bytesPerRow in
        source.withPixels { pixels, stride in
            let work = source.width * source.height / (isLight ? 4 : 1)
            RowBands.run(rows: source.height, work: work) { rows in
                for y in rows { body(pixels + y * stride, out + y * bytesPerRow, y) }
            }
        }
    }
}

/// Maps eight pixels at a time.
///
/// The last eight overlap the previous ones, which saves a second loop.
///
/// - Precondition: The two rows are not the same memory.
@inline(__always)
func mapPixels(
    _ from: UnsafePointer<UInt8>,
    _ to: UnsafeMutablePointer<UInt8>,
    width: Int,
    _ body: (SIMD8<UInt32>) -> SIMD8<UInt32>
) {
    let input = UnsafeRawPointer(from)
    let output = UnsafeMutableRawPointer(to)
    guard width >= 8 else {
        var few = SIMD8<UInt32>(repeating: 0)
        withUnsafeMutableBytes(of: &few) { block in
            block.copyMemory(from: UnsafeRawBufferPointer(start: input, count: width * 4))
        }
        few = body(few)
        withUnsafeBytes(of: &few) { block in
            UnsafeMutableRawBufferPointer(start: output, count: width * 4)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<(width * 4)]))
        }
        return
    }
    var x = 0
    while x < width {
        x = min(x, width - 8)
        let block = input.loadUnaligned(fromByteOffset: x * 4, as: SIMD8<UInt32>.self)
        output.storeBytes(of: body(block), toByteOffset: x * 4, as: SIMD8<UInt32>.self)
        x += 8
    }
}
