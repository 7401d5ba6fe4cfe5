import CKFCodecShims
package import FoundationEssentials
import KFPixels

extension Codecs {
    /// Writes a JPEG, PNG or GIF again with fewer bytes and the same pixels.
    ///
    /// JPEGs keep their coefficients and get optimised Huffman codes, and several scans. PNGs get
    /// other filters, the fewest channels and the best compression, GIFs only the changes between
    /// frames, with one palette if it has room for all colours. Takes seconds for a large PNG.
    ///
    /// - Parameters:
    ///   - data: A whole file.
    ///   - keepsMetadata: Whether Exif, XMP, comments, texts and further images are kept. Colour
    ///     profiles and the orientation always are. Otherwise ``MetadataRemoval`` removes them first,
    ///     so that they are gone from a file that gets no smaller, too.
    /// - Returns: The file; `data` itself if nothing was gained or removed.
    /// - Throws: ``CodecError``; ``CodecError/unsupported(_:feature:)`` for other formats.
    package static func optimized(
        _ data: Data,
        keepsMetadata: Bool = true
    ) throws(CodecError) -> Data {
        try DecodeLimits.default.check(inputBytes: data.count)
        let info = try inspect(data)
        try DecodeLimits.default.check(info.storedSize, of: info.format)
        guard [.jpeg, .png, .gif].contains(info.format) else {
            throw .unsupported(info.format, feature: "optimizing without loss")
        }
        let source = keepsMetadata ? data : try MetadataRemoval.reduced(data, to: [])
        let file: Data? =
            switch info.format {
            case .jpeg: try optimizedJPEG(source)
            case .png: try PNGOptimizer(source)?.optimized()
            default: try optimizedGIF(source)
            }
        guard let file, file.count < source.count else { return source }
        return file
    }

    /// The smaller of a progressive file and one of a single scan; nil if it is left alone.
    private static func optimizedJPEG(_ data: Data) throws(CodecError) -> Data? {
        let header = try data.withBytes { bytes throws(CodecError) in
            try JPEGHeader(parsing: bytes)
        }
        guard header.isOrdinary else {
            throw .unsupported(.jpeg, feature: "optimizing lossless files or 12 bits a sample")
        }
        try DecodeLimits.default.check(workingBytes: header.coefficientBytes)
        // Several images in one file refer to each other by place.
        guard data.firstRange(of: Array("MPF\0".utf8)) == nil else { return nil }
        // A film after a photograph is found from the end of the file.
        let rest = data.suffix(MetadataRemoval.bytesBehindImage(data))
        var best: Data?
        for isProgressive in [true, false] {
            let file = try transcoded(data, isProgressive: isProgressive) + rest
            if file.count < best?.count ?? .max { best = file }
        }
        return best
    }

    private static func transcoded(
        _ data: Data,
        isProgressive: Bool
    ) throws(CodecError) -> Data {
        let settings = kf_jpeg_transcoding(
            max_memory: DecodeLimits.default.maxWorkingBytes,
            max_scans: JPEGRowReader.maxScanCount,
            is_progressive: isProgressive ? 1 : 0
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
        let delays = try statedDelays(ofGIF: data)
        let encoder = GIFEncoder(
            size: source.size,
            frameCount: source.frameCount,
            loopCount: source.frameCount == 1 ? 1 : source.loopCount,
            options: EncodeOptions(),
            collectsColors: true
        )
        let encoded = try encoder.encode { index throws(CodecError) in
            AnimationFrame(bitmap: try source.frame(at: index), delay: delays[index])
        }
        // The encoder writes no extensions but its own.
        let descriptions = try data.withBytes { bytes throws(CodecError) in
            try GIFMetadata.descriptions(of: bytes)
        }
        let file = encoded.dropLast() + descriptions + encoded.suffix(1)
        guard file.count < data.count else { return nil }
        guard try statedDelays(ofGIF: file) == delays else { return nil }
        let (before, after) = (try FrameDecoder(data), try FrameDecoder(file))
        for index in 0..<before.frameCount {
            // More colours in a frame than a palette has.
            guard try before.frame(at: index) == after.frame(at: index) else { return nil }
        }
        return file
    }

    /// The delays of a GIF's frames in seconds, also those that are played for longer.
    private static func statedDelays(ofGIF data: Data) throws(CodecError) -> [Double] {
        try data.withBytes { bytes throws(CodecError) in
            try GIFHeader(parsing: bytes, limits: .default).frames.map(\.delay)
        }
    }
}
