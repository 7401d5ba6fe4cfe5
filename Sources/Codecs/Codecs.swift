package import FoundationEssentials
package import Pixels

/// The door to this floor: inspect, decode, encode.
package enum Codecs {
    /// The format that the first bytes tell, or nil when they belong to none that is known.
    package static func format(of data: Data) -> FileFormat? {
        data.withUnsafeBytes(FileFormat.detect)
    }

    /// Reads the header and decodes nothing.
    ///
    /// - Parameter data: A file or a prefix of one that may still grow.
    /// - Returns: What the header says.
    /// - Throws: ``CodecError/truncated(_:)`` when more bytes may help; ``CodecError/unknownFormat``,
    ///   ``CodecError/corrupt(_:detail:)`` and ``CodecError/unsupported(_:feature:)`` when not.
    package static func inspect(_ data: Data) throws(CodecError) -> ImageInfo {
        try data.withBytes { bytes throws(CodecError) in
            switch try format(of: bytes) {
            case .jpeg: try JPEGHeader(parsing: bytes).info
            case .png: try PNGHeader(parsing: bytes).info
            case .gif: try GIFHeader.inspect(bytes)
            case .webp: try WebPHeader.inspect(bytes)
            case .avif: try AVIFFile(bytes, .default).info
            case .bmp: try BMPDecoder.inspect(bytes)
            case .ico: try ICODecoder.inspect(bytes)
            case .jxl, .heif, .tiff, .svg:
                try TraitDecoder(bytes: bytes, options: DecodeOptions()).inspect()
            }
        }
    }

    /// Decodes the picture, or the first frame of an animation, straight to the target's size.
    ///
    /// The result is upright, in sRGB. Limits are checked against the header before memory is taken.
    ///
    /// - Throws: ``CodecError``; whatever the bytes are, there is no other outcome.
    package static func decode(
        _ data: Data,
        options: DecodeOptions = DecodeOptions()
    ) throws(CodecError) -> DecodedImage {
        try PixelScope.lifted { () throws(CodecError) in
            try decodeWithinLimits(data, options: options)
        }
    }

    private static func decodeWithinLimits(
        _ data: Data,
        options: DecodeOptions
    ) throws(CodecError) -> DecodedImage {
        try options.limits.check(inputBytes: data.count)
        return try data.withBytes { bytes throws(CodecError) in
            switch try format(of: bytes) {
            case .jpeg: try JPEGDecoder(bytes: bytes, options: options).decode()
            case .png: try decodePNG(data, bytes, options)
            case .gif: try GIFReader(data, options).decodeFirst()
            case .webp: try WebPReader(data, options).decodeFirst()
            case .avif: try AVIFReader(data, options).decodeFirst()
            case .bmp: try BMPDecoder(bytes: bytes, options: options).decode()
            case .ico: try ICODecoder(bytes: bytes, options: options).decode()
            case .jxl, .heif, .tiff, .svg:
                try TraitDecoder(bytes: bytes, options: options).decode()
            }
        }
    }

    /// Encodes one picture.
    ///
    /// - Throws: ``CodecError/unsupported(_:feature:)`` for formats that are only read,
    ///   ``CodecError/encodingFailed(_:detail:)`` when the format cannot hold the picture.
    package static func encode(
        _ bitmap: Bitmap,
        as format: FileFormat,
        options: EncodeOptions = EncodeOptions()
    ) throws(CodecError) -> Data {
        switch format {
        case .jpeg: try JPEGEncoder(bitmap: bitmap, options: options).encode()
        case .png: try PNGEncoder(bitmap: bitmap).encode()
        case .webp: try WebPEncoder(options: options).encode(bitmap)
        case .avif: try AVIFEncoder(options: options).encode(bitmap)
        case .jxl: try JXLEncoder(options: options).encode(bitmap)
        case .gif:
            try GIFEncoder(size: bitmap.size, frameCount: 1, loopCount: 1)
                .encode { _ in AnimationFrame(bitmap: bitmap, delay: 0) }
        default: throw .unsupported(format, feature: "encoding")
        }
    }

    /// Encodes an animation as GIF or WebP, of which one frame is held at a time.
    ///
    /// - Parameters:
    ///   - size: That of every frame.
    ///   - frameCount: At least one.
    ///   - loopCount: How often to play, 0 for ever.
    ///   - format: One that holds animations.
    ///   - options: Quality counts for WebP; GIF keeps 255 colours a frame.
    ///   - frame: Makes frames 0 ..< `frameCount`, asked in this order.
    /// - Returns: The file.
    /// - Throws: ``CodecError/unsupported(_:feature:)`` for other formats,
    ///   ``CodecError/encodingFailed(_:detail:)`` when the frames do not fit, and what `frame` throws.
    package static func encodeAnimation(
        of size: PixelSize,
        frameCount: Int,
        loopCount: Int,
        as format: FileFormat,
        options: EncodeOptions = EncodeOptions(),
        frame: (Int) throws(CodecError) -> AnimationFrame
    ) throws(CodecError) -> Data {
        func checkedFrame(_ index: Int) throws(CodecError) -> AnimationFrame {
            let next = try frame(index)
            guard next.bitmap.size == size else {
                let sizes = "\(size) and \(next.bitmap.size)"
                throw .encodingFailed(format, detail: "frames of several sizes, \(sizes)")
            }
            return next
        }
        switch format {
        case .gif:
            return try GIFEncoder(size: size, frameCount: frameCount, loopCount: loopCount)
                .encode(checkedFrame)
        case .webp:
            return try WebPEncoder(options: options)
                .encode(size, frameCount: frameCount, loopCount: loopCount, checkedFrame)
        default:
            throw .unsupported(format, feature: "encoding an animation")
        }
    }

    static func format(
        of bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> FileFormat {
        guard !bytes.isEmpty else { throw .empty }
        guard let format = FileFormat.detect(bytes) else { throw .unknownFormat }
        return format
    }
}
