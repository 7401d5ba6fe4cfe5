import CCodecShims
package import FoundationEssentials
import Pixels

extension Codecs {
    /// Writes a JPEG, PNG or GIF again with fewer bytes and the same pixels.
    ///
    /// JPEGs keep their coefficients and get optimised Huffman codes, and several scans. PNGs get
    /// other filters, the fewest channels and the best compression, GIFs only the changes between
    /// frames. Takes seconds for a large PNG.
    ///
    /// - Parameters:
    ///   - data: A whole file.
    ///   - keepsMetadata: Whether Exif, XMP, texts and the like are kept. Colour profiles always
    ///     are, and the Exif of a file that is not upright.
    /// - Returns: The file; `data` itself if nothing was gained.
    /// - Throws: ``CodecError``; ``CodecError/unsupported(_:feature:)`` for other formats.
    package static func optimized(
        _ data: Data,
        keepsMetadata: Bool = true
    ) throws(CodecError) -> Data {
        try DecodeLimits.default.check(inputBytes: data.count)
        let info = try inspect(data)
        try DecodeLimits.default.check(info.storedSize, of: info.format)
        let file: Data? =
            switch info.format {
            case .jpeg: try optimizedJPEG(data, keepsMetadata || info.orientation != .up)
            case .png: try PNGOptimizer(data, keepsMetadata || info.orientation != .up)?.optimized()
            case .gif: try optimizedGIF(data)
            default: throw .unsupported(info.format, feature: "optimizing without loss")
            }
        guard let file, file.count < data.count else { return data }
        return file
    }

    /// The smaller of a progressive file and one of a single scan.
    private static func optimizedJPEG(_ data: Data, _ keeps: Bool) throws(CodecError) -> Data? {
        let header = try data.withBytes { bytes throws(CodecError) in
            try JPEGHeader(parsing: bytes)
        }
        guard header.isOrdinary else {
            throw .unsupported(.jpeg, feature: "optimizing lossless files or 12 bits a sample")
        }
        try DecodeLimits.default.check(workingBytes: header.coefficientBytes)
        // Several images in one file refer to each other by place.
        if keeps, data.firstRange(of: Array("MPF\0".utf8)) != nil { return nil }
        var best: Data?
        for isProgressive in [true, false] {
            var file = try transcoded(data, isProgressive: isProgressive, keeps)
            if !keeps, header.hasProfile {
                let bytes = try data.withBytes { bytes throws(CodecError) in
                    header.assembledProfile(in: bytes)
                }
                if let bytes { file = try FileMetadata(profile: Data(bytes)).written(to: file) }
            }
            if file.count < best?.count ?? .max { best = file }
        }
        return best
    }

    private static func transcoded(
        _ data: Data,
        isProgressive: Bool,
        _ keepsSegments: Bool
    ) throws(CodecError) -> Data {
        let settings = kf_jpeg_transcoding(
            max_memory: DecodeLimits.default.maxWorkingBytes,
            max_scans: JPEGRowReader.maxScanCount,
            is_progressive: isProgressive ? 1 : 0,
            keeps_segments: keepsSegments ? 1 : 0
        )
        var bytes: UnsafeMutablePointer<UInt8>?
        var count = 0
        // 200: the size that `kf_jpeg_transcode` requires.
        var message = [CChar](repeating: 0, count: 200)
        let status = data.withUnsafeBytes { file in
            file.assumingMemoryBound(to: UInt8.self).baseAddress.map {
                kf_jpeg_transcode(settings, $0, file.count, &bytes, &count, &message)
            }
        }
        guard status == KF_JPEG_OK, let bytes else {
            let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw .corrupt(.jpeg, detail: String(decoding: text, as: UTF8.self))
        }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    /// The encoded animation; nil unless its frames equal those of the source.
    private static func optimizedGIF(_ data: Data) throws(CodecError) -> Data? {
        let source = try FrameDecoder(data)
        let file = try encodeAnimation(
            of: source.size,
            frameCount: source.frameCount,
            loopCount: source.frameCount == 1 ? 1 : source.loopCount,
            as: .gif
        ) { index throws(CodecError) in
            AnimationFrame(bitmap: try source.frame(at: index), delay: source.delays[index])
        }
        guard file.count < data.count else { return nil }
        let (before, after) = (try FrameDecoder(data), try FrameDecoder(file))
        guard after.frameCount == before.frameCount, after.delays == before.delays else {
            return nil
        }
        for index in 0..<before.frameCount {
            // More colours in a frame than a palette has.
            guard try before.frame(at: index) == after.frame(at: index) else { return nil }
        }
        return file
    }
}
