import FoundationEssentials
import KFPixels

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Encodes a bitmap as PNG: grey or RGB of 8 bits per channel, with alpha or without, or a palette,
/// whichever is the smallest that holds it.
///
/// Filters and compresses the whole bitmap at once. Meanwhile it holds about twice the raw bytes.
struct PNGEncoder {
    let bitmap: Bitmap
    let options: EncodeOptions

    /// Up to this number of pixels, files with and without a palette are compared; of larger images
    /// only a sample is, and the files if it is smaller without.
    ///
    /// The palette takes up to a kilobyte, more than it saves in most icons. All of 70 larger drawings
    /// with at most 256 colours were smaller with it, but smooth gradients are not.
    private static let comparedArea = 1 << 15

    func encode() throws(CodecError) -> Data {
        guard options.maxColorCount == nil else { return try encodeReduced() }
        guard options.effort != 0 else { return try encodeDirectly(isQuick: true) }
        guard let pixels = try indexed() else { return try encodeDirectly() }
        let palette = PNGPaletteWriter(pixels)
        let file = try palette.encode()
        try options.check()
        let area = bitmap.size.byteCount(bytesPerPixel: 1)
        if area > Self.comparedArea {
            guard try isSmooth(beside: palette) else { return file }
        }
        let direct = try encodeDirectly()
        return direct.count < file.count ? direct : file
    }

    /// Whether a sample of the rows takes fewer bytes filtered than with a palette.
    private func isSmooth(beside palette: PNGPaletteWriter) throws(CodecError) -> Bool {
        let layout = PNGLayout(choosing: bitmap, allowsGray: options.profile == nil)
        let rows = try PNGRowWriter(bitmap, layout)
        let groups = rows.sample(groups: 4)
        let count = groups.reduce(0) { $0 + $1.count }
        let direct = try Self.compressedCount(count * rows.rowBytes) { target in
            var place = target
            for group in groups {
                rows.writeFiltered(group, to: place)
                place += group.count * rows.rowBytes
            }
        }
        let indexed = try Self.compressedCount(count * palette.rowBytes) { target in
            var place = target
            for group in groups {
                palette.writeRows(group, to: place)
                place += group.count * palette.rowBytes
            }
        }
        return direct * bitmap.height < indexed * bitmap.height + palette.paletteBytes * count
    }

    /// The compressed size of bytes that are zero before `fill`.
    private static func compressedCount(
        _ byteCount: Int,
        _ fill: (UnsafeMutablePointer<UInt8>) -> Void
    ) throws(CodecError) -> Int {
        let compression = PNGCompression.matches(level: 1)
        let room = compression.bound(byteCount)
        let memory = try PixelStorage.forEncoding(byteCount + room)
        let bytes = memory.base.assumingMemoryBound(to: UInt8.self)
        fill(bytes)
        return withExtendedLifetime(memory) {
            compression.compress(bytes, byteCount, to: bytes + byteCount, room: room)
        }
    }

    /// The smallest of the files with fewer colours, with a palette of all colours, and without one.
    ///
    /// Diffused errors are hard to compress, so that fewer colours can make a larger file.
    private func encodeReduced() throws(CodecError) -> Data {
        let count = max(2, min(256, options.maxColorCount ?? 256))
        var smallest = try encodeDirectly()
        let palettes = [
            try IndexedPixels(exactly: bitmap, atMost: 256),
            try IndexedPixels(reducing: bitmap, to: count),
        ]
        for case let pixels? in palettes {
            let file = try PNGPaletteWriter(pixels).encode()
            if file.count < smallest.count { smallest = file }
        }
        return smallest
    }

    /// Encodes without a palette.
    private func encodeDirectly(isQuick: Bool = false) throws(CodecError) -> Data {
        // Beside a profile for RGB, grey pixels are not valid.
        let layout = PNGLayout(choosing: bitmap, allowsGray: options.profile == nil)
        let rows = try PNGRowWriter(bitmap, layout)
        let byteCount = rows.rowBytes * bitmap.height
        let filtered = try PixelStorage.forEncoding(byteCount)
        let target = filtered.base.assumingMemoryBound(to: UInt8.self)
        let compression: PNGCompression
        if isQuick {
            rows.writePlain(0..<bitmap.height, to: target)
            compression = .matches(level: 1)
        } else {
            compression = try fill(target, from: rows)
        }
        var file = try PNGFile(compressing: byteCount, compression)
        file.writeHeader(bitmap.size, colorType: layout.colorType)
        return try file.finish(target, byteCount, compression, of: bitmap.size)
    }

    /// The bitmap with a palette, if it has few colours.
    private func indexed() throws(CodecError) -> IndexedPixels? {
        let pixels = try IndexedPixels(exactly: bitmap, atMost: 256)
        // Grey pixels take one byte without a palette, too, and can be filtered.
        let isGray = options.profile == nil && pixels?.palette.allSatisfy(\.isOpaqueGray) == true
        return isGray && pixels?.palette.count ?? 0 > 16 ? nil : pixels
    }

    /// Writes the rows, filtered or not; returns the best compression method for them.
    private func fill(
        _ target: UnsafeMutablePointer<UInt8>,
        from rows: PNGRowWriter
    ) throws(CodecError) -> PNGCompression {
        if try rows.areBetterPlain() {
            rows.writePlain(0..<bitmap.height, to: target)
            return .plain
        }
        for start in stride(from: 0, to: bitmap.height, by: 64) {
            try options.check()
            let band = start..<min(bitmap.height, start + 64)
            rows.writeFiltered(band, to: target + start * rows.rowBytes)
        }
        return try PNGCompression(
            sampling: target,
            rowBytes: rows.rowBytes,
            groups: rows.sample(groups: 4)
        )
    }
}

extension RGBA {
    fileprivate var isOpaqueGray: Bool { alpha == 255 && red == green && green == blue }
}

extension PixelStorage {
    /// Allocates memory for an encoder, with ``CodecError/pixels(_:)`` on failure.
    static func forEncoding(_ byteCount: Int) throws(CodecError) -> PixelStorage {
        try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: byteCount)
        }
    }
}
