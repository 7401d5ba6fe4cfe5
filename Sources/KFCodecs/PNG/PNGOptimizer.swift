import CKFDeflate
import FoundationEssentials
import KFPixels

/// Writes a PNG again with the filters, channels and compression that take the fewest bytes.
///
/// Works on the stored samples, so that transparent pixels keep their colours, and 16 bits stay.
/// Interlaced and animated files are left alone.
struct PNGOptimizer {
    private let data: Data
    private let header: PNGHeader
    private let samples: PNGSamples
    /// All chunks but those that are written again, by their place before or after the pixels.
    private var before: [(type: String, body: Data)] = []
    private var after: [(type: String, body: Data)] = []

    /// Reads a file; nil if it is left alone.
    ///
    /// - Throws: ``CodecError`` if the pixels are damaged.
    init?(_ data: Data) throws(CodecError) {
        let parsed = try data.withBytes { bytes throws(CodecError) in
            try PNGHeader(parsing: bytes)
        }
        guard parsed.animation == nil, !parsed.isInterlaced else { return nil }
        self.data = data
        header = parsed
        var stream: [UInt8] = []
        var palette: [UInt8] = []
        var alphas: [UInt8] = []
        var hasPixels = false
        var (before, after) = (self.before, self.after)
        _ = data.withUnsafeBytes { bytes in
            PNGMetadata.walk(bytes) { type, _, body in
                switch type {
                case "IHDR", "IEND": break
                case "IDAT":
                    stream += body.bytes
                    hasPixels = true
                case "PLTE": palette = Array(body.bytes)
                case "tRNS": alphas = Array(body.bytes)
                default:
                    if !Self.unkept.contains(type) {
                        let chunk = (type: type, body: Data(body.bytes))
                        if hasPixels { after.append(chunk) } else { before.append(chunk) }
                    }
                }
            }
        }
        self.before = before
        self.after = after
        samples = try PNGSamples(parsed, stream, palette: palette, alphas: alphas)
    }

    /// Chunks that refer to the palette or the number of bits, which may change.
    private static let unkept: Set = ["hIST", "sBIT", "bKGD", "sPLT"]

    /// The file.
    ///
    /// - Throws: ``CodecError/pixels(_:)`` or ``CodecError/encodingFailed(_:detail:)``.
    func optimized() throws(CodecError) -> Data {
        let allowsGray = header.colors.profile == nil
        var best: (samples: PNGSamples, stream: [UInt8])?
        for candidate in samples.reductions(allowsGray: allowsGray) {
            let most = best.map { $0.samples.paletteBytes + $0.stream.count } ?? .max
            let stream = try candidate.compressed(atMost: most - candidate.paletteBytes)
            if let stream { best = (candidate, stream) }
        }
        guard let (samples, stream) = best else { return data }
        var file = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        var head = Data()
        head.append(number: header.size.width, bytes: 4)
        head.append(number: header.size.height, bytes: 4)
        head += [UInt8(samples.bits), UInt8(samples.colorType), 0, 0, 0]
        file += PNGMetadata.chunk("IHDR", head)
        // Colours come before the palette, and the rest may.
        for chunk in before { file += PNGMetadata.chunk(chunk.type, chunk.body) }
        if !samples.palette.isEmpty { file += PNGMetadata.chunk("PLTE", Data(samples.palette)) }
        if !samples.alphas.isEmpty { file += PNGMetadata.chunk("tRNS", Data(samples.alphas)) }
        file += PNGMetadata.chunk("IDAT", Data(stream))
        for chunk in after { file += PNGMetadata.chunk(chunk.type, chunk.body) }
        return file + PNGMetadata.chunk("IEND", Data())
    }
}
