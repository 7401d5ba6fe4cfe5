import FoundationEssentials
import KFPixels

/// Encodes indexed pixels as PNG, with as few bits per pixel as the palette needs.
///
/// Rows are not filtered: the differences of indices mean nothing (W3C, PNG (Third Edition), 12.7).
struct PNGPaletteWriter {
    private let pixels: IndexedPixels
    /// 1, 2, 4 or 8.
    private let bitsPerPixel: Int

    init(_ pixels: IndexedPixels) {
        self.pixels = pixels
        bitsPerPixel = [1, 2, 4].first { pixels.palette.count <= 1 << $0 } ?? 8
    }

    /// Bytes per row, including the filter's number.
    var rowBytes: Int { (pixels.size.width * bitsPerPixel + 7) / 8 + 1 }

    /// About the bytes of the palette in the file.
    var paletteBytes: Int { pixels.palette.count * 3 }

    /// Writes the rows of `range` to memory that is zero.
    func writeRows(_ range: Range<Int>, to target: UnsafeMutablePointer<UInt8>) {
        for (index, y) in range.enumerated() { pack(y, to: target + index * rowBytes + 1) }
    }

    func encode() throws(CodecError) -> Data {
        let byteCount = rowBytes * pixels.size.height
        let packed = try PixelStorage.forEncoding(byteCount)
        let target = packed.base.assumingMemoryBound(to: UInt8.self)
        writeRows(0..<pixels.size.height, to: target)
        var file = try PNGFile(compressing: byteCount, .plain)
        file.writeHeader(pixels.size, colorType: 3, bitsPerChannel: bitsPerPixel)
        writePalette(to: &file)
        return try file.finish(target, byteCount, .plain, of: pixels.size)
    }

    private func writePalette(to file: inout PNGFile) {
        let colors = pixels.palette
        _ = file.writeChunk("PLTE") { target, _ in
            for (index, color) in colors.enumerated() {
                target[index * 3] = color.red
                target[index * 3 + 1] = color.green
                target[index * 3 + 2] = color.blue
            }
            return colors.count * 3
        }
        // Missing alphas are opaque, and opaque colours come last.
        let alphas = colors.prefix { $0.alpha < 255 }.map(\.alpha)
        guard !alphas.isEmpty else { return }
        _ = file.writeChunk("tRNS") { target, _ in
            target.update(from: alphas, count: alphas.count)
            return alphas.count
        }
    }

    /// Packs a row, the first pixel in the highest bits.
    private func pack(_ y: Int, to target: UnsafeMutablePointer<UInt8>) {
        let row = pixels.row(y)
        guard bitsPerPixel < 8 else { return target.update(from: row, count: pixels.size.width) }
        let perByte = 8 / bitsPerPixel
        for x in 0..<pixels.size.width {
            target[x / perByte] |= row[x] << UInt8(8 - bitsPerPixel * (x % perByte + 1))
        }
    }
}
