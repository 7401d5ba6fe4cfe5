package import FoundationEssentials
package import KFPixels

/// The entry point of this module: inspect, decode, encode.
package enum Codecs {
    /// The format detected from the first bytes; nil if they match none that this build knows.
    package static func format(of data: Data) -> FileFormat? {
        data.withUnsafeBytes(FileFormat.detect)
    }

    /// Reads the header without decoding any pixels.
    ///
    /// - Parameter data: A file, or a prefix of one that is still arriving.
    /// - Returns: The properties stated in the header.
    /// - Throws: ``CodecError/truncated(_:)`` if more bytes may help; otherwise
    ///   ``CodecError/empty``, ``CodecError/unknownFormat``, ``CodecError/corrupt(_:detail:)``,
    ///   ``CodecError/unsupported(_:feature:)`` or ``CodecError/limitExceeded(_:value:allowed:)``.
    package static func inspect(_ data: Data) throws(CodecError) -> ImageInfo {
        try header(of: data).info
    }

    /// Reads the header, for an inspection and a later decode of the same bytes.
    ///
    /// - Parameter data: As for ``inspect(_:)``.
    /// - Returns: The header.
    /// - Throws: As ``inspect(_:)``.
    package static func header(of data: Data) throws(CodecError) -> ParsedHeader {
        try data.withBytes { bytes throws(CodecError) in
            switch try FileFormat(of: bytes) {
            case .jpeg: ParsedHeader(try JPEGHeader(parsing: bytes))
            case .png: ParsedHeader(try PNGHeader(parsing: bytes).info)
            case .gif: ParsedHeader(try GIFHeader.inspect(bytes))
            case .webp: ParsedHeader(try WebPHeader.inspect(bytes))
            case .avif: ParsedHeader(try AVIFFile(bytes, .default).info)
            case .bmp: ParsedHeader(try BMPDecoder.inspect(bytes))
            case .ico: ParsedHeader(try ICODecoder.inspect(bytes))
            case .svg: ParsedHeader(try Drawings.inspect(bytes))
            case .jxl, .heif, .tiff:
                ParsedHeader(try OptionalDecoder(bytes: bytes, options: DecodeOptions()).inspect())
            }
        }
    }

    /// Decodes an image, or the first frame of an animation, straight to the target size.
    ///
    /// The result is upright, in sRGB unless a ``ProfileScope`` keeps the file's profile. In a
    /// ``TruncationScope`` truncated files are accepted, whatever the options are. An animation but
    /// AVIF is truncated if its first frame is. Limits are checked against the header before memory is
    /// allocated.
    ///
    /// - Parameters:
    ///   - data: A whole file; its format is detected.
    ///   - options: The target size, the limits and the treatment of truncated files.
    ///   - header: The header of the same bytes, if it was read before.
    /// - Returns: The image, partial if the file is truncated and the options accept that.
    /// - Throws: ``CodecError``, and no other error, whatever the bytes are.
    package static func decode(
        _ data: Data,
        options: DecodeOptions = DecodeOptions(),
        header: ParsedHeader? = nil
    ) throws(CodecError) -> DecodedImage {
        var options = options
        if TruncationScope.isActive { options.truncation = .keepsPartial }
        return try PixelScope.lifted { () throws(CodecError) in
            let decoded = try decodeWithinLimits(data, options, header)
            var image = try TruncationScope.accept(decoded)
            // Most decoders make the whole target.
            if let part = options.part, image.bitmap.size != part.size {
                image.bitmap = try CodecError.wrapping { () throws(PixelError) in
                    try crop(image.bitmap, to: part)
                }
            }
            return image
        }
    }

    private static func decodeWithinLimits(
        _ data: Data,
        _ options: DecodeOptions,
        _ header: ParsedHeader?
    ) throws(CodecError) -> DecodedImage {
        try options.limits.check(inputBytes: data.count)
        return try data.withBytes { bytes throws(CodecError) in
            switch try FileFormat(of: bytes) {
            case .jpeg: try JPEGDecoder(bytes: bytes, options: options).decode(header?.jpeg)
            case .png: try decodePNG(data, bytes, options)
            case .gif: try GIFReader(data, options, needsFirstOnly: true).decodeFirst()
            case .webp: try WebPReader(data, options, needsFirstOnly: true).decodeFirst()
            case .avif: try AVIFReader(data, options).decodeFirst()
            case .bmp: try BMPDecoder(bytes: bytes, options: options).decode()
            case .ico: try ICODecoder(bytes: bytes, options: options).decode()
            case .svg: try Drawings.decode(bytes, options)
            case .jxl, .heif, .tiff:
                try OptionalDecoder(bytes: bytes, options: options).decode()
            }
        }
    }

    /// Encodes one bitmap.
    ///
    /// - Parameters:
    ///   - bitmap: Premultiplied, in sRGB or the profile of the options.
    ///   - format: JPEG, PNG, WebP, GIF, or AVIF and JPEG XL with their libraries.
    ///   - options: The quality and the variant of the format.
    /// - Returns: The file.
    /// - Throws: ``CodecError/unsupported(_:feature:)`` for formats without an encoder,
    ///   ``CodecError/missingLibrary(_:name:)``,
    ///   ``CodecError/encodingFailed(_:detail:)`` if the format cannot hold the bitmap,
    ///   ``CodecError/pixels(_:)`` if memory cannot be allocated.
    package static func encode(
        _ bitmap: Bitmap,
        as format: FileFormat,
        options: EncodeOptions = EncodeOptions()
    ) throws(CodecError) -> Data {
        guard let profile = options.profile else {
            return try encodePixels(bitmap, as: format, options)
        }
        switch format {
        case .avif: return try encodePixels(bitmap, as: format, options)
        case .jpeg, .png, .webp:
            let file = try encodePixels(bitmap, as: format, options)
            return try FileMetadata(profile: profile).written(to: file)
        case .gif, .heif, .jxl, .tiff, .bmp, .ico, .svg:
            throw .unsupported(format, feature: "a colour profile")
        }
    }

    private static func encodePixels(
        _ bitmap: Bitmap,
        as format: FileFormat,
        _ options: EncodeOptions
    ) throws(CodecError) -> Data {
        try options.check()
        return switch format {
        case .jpeg: try JPEGEncoder(bitmap: bitmap, options: options).encode()
        case .png: try PNGEncoder(bitmap: bitmap, options: options).encode()
        case .webp: try WebPEncoder(options: options).encode(bitmap)
        case .avif: try AVIFEncoder(options: options).encode(bitmap)
        case .jxl: try JXLEncoder(options: options).encode(bitmap)
        case .gif:
            try GIFEncoder(size: bitmap.size, frameCount: 1, loopCount: 1, options: options)
                .encode { _ in AnimationFrame(bitmap: bitmap, delay: 0) }
        case .heif, .tiff, .bmp, .ico, .svg:
            throw CodecError.unsupported(format, feature: "encoding")
        }
    }

    /// Encodes an animation as GIF, WebP or AVIF.
    ///
    /// Holds one frame at a time. For GIF, which stores the differences between frames, it holds up
    /// to five.
    ///
    /// - Parameters:
    ///   - size: The size of every frame in pixels.
    ///   - frameCount: At least one.
    ///   - loopCount: How often to play; 0 means forever.
    ///   - format: ``FileFormat/gif``, ``FileFormat/webp`` or ``FileFormat/avif``.
    ///   - isOpaque: Whether every frame is opaque; an AVIF has an alpha channel otherwise.
    ///   - options: The quality applies to WebP and AVIF. GIF stores up to 256 colours per frame.
    ///   - frame: Returns the frame of an index. Called once for each of `0..<frameCount`, in
    ///     order.
    /// - Returns: The file.
    /// - Throws: ``CodecError/unsupported(_:feature:)`` for other formats,
    ///   ``CodecError/encodingFailed(_:detail:)`` if a frame has another size or the format cannot
    ///   hold it, and the error of `frame`.
    package static func encodeAnimation(
        of size: PixelSize,
        frameCount: Int,
        loopCount: Int,
        as format: FileFormat,
        isOpaque: Bool = false,
        options: EncodeOptions = EncodeOptions(),
        frame: (Int) throws(CodecError) -> AnimationFrame
    ) throws(CodecError) -> Data {
        func checkedFrame(_ index: Int) throws(CodecError) -> AnimationFrame {
            try options.check()
            let next = try frame(index)
            guard next.bitmap.size == size else {
                let sizes = "\(size) and \(next.bitmap.size)"
                throw .encodingFailed(format, detail: "frames of several sizes, \(sizes)")
            }
            return next
        }
        switch format {
        case .gif:
            return try GIFEncoder(
                size: size,
                frameCount: frameCount,
                loopCount: loopCount,
                options: options
            )
            .encode(checkedFrame)
        case .webp:
            return try WebPEncoder(options: options)
                .encode(size, frameCount: frameCount, loopCount: loopCount, checkedFrame)
        case .avif:
            return try AVIFEncoder(options: options)
                .encode(
                    size,
                    frameCount: frameCount,
                    loopCount: loopCount,
                    isOpaque: isOpaque,
                    checkedFrame
                )
        case .jpeg, .png, .heif, .jxl, .tiff, .bmp, .ico, .svg:
            throw .unsupported(format, feature: "encoding an animation")
        }
    }
}
