import FoundationEssentials
import Pixels

extension Codecs {
    /// The reader of a file's frames; nil for formats that are never animated.
    static func animationReader(
        _ data: Data,
        _ format: FileFormat,
        _ options: DecodeOptions
    ) throws(CodecError) -> (any FrameReader)? {
        switch format {
        case .gif:
            return try GIFReader(data, options)
        case .webp:
            return try WebPReader(data, options)
        case .avif:
            return try AVIFReader(data, options)
        case .png:
            let header = try data.withBytes { bytes throws(CodecError) in
                try PNGHeader(parsing: bytes)
            }
            return header.animation == nil ? nil : try APNGReader(data, options)
        #if JXL
        case .jxl:
            return try JXLReader(data, options)
        #endif
        default:
            return nil
        }
    }

    /// The reader of a file's frames, of whatever format.
    static func frameReader(
        _ data: Data,
        _ options: DecodeOptions
    ) throws(CodecError) -> any FrameReader {
        let format = try data.withBytes { bytes throws(CodecError) in try Self.format(of: bytes) }
        if let reader = try animationReader(data, format, options) { return reader }
        return try StillReader(data, options)
    }

    /// Decodes a PNG; of an animation that leaves its default image out, the first frame.
    static func decodePNG(
        _ data: Data,
        _ bytes: UnsafeRawBufferPointer,
        _ options: DecodeOptions
    ) throws(CodecError) -> DecodedImage {
        let header = try PNGHeader(parsing: bytes)
        guard header.animation != nil, !header.beginsWithFrame else {
            return try PNGDecoder(bytes: bytes, options: options).decode()
        }
        let reader: APNGReader
        do throws(CodecError) {
            reader = try APNGReader(data, options)
        } catch .corrupt {
            // Without a frame that can be used, viewers show the default image.
            var image = try PNGDecoder(bytes: bytes, options: options).decode()
            if options.truncation == .keepsPartial { image.isPartial = true }
            return image
        }
        return try decodeFirstFrame(reader, isPartial: reader.isPartial, options)
    }

    /// Decodes what an animation shows first.
    static func decodeFirstFrame(
        _ reader: some FrameReader,
        isPartial: Bool,
        _ options: DecodeOptions
    ) throws(CodecError) -> DecodedImage {
        // A few bytes may ask for a canvas of any size, whatever the target is.
        try options.limits.check(canvas: reader.canvasSize)
        var reader = reader
        let frame = reader.frames[0]
        var canvas = try FrameCanvas(size: reader.canvasSize)
        if !frame.rect.isEmpty {
            try canvas.draw(frame) { surface throws(CodecError) in
                try reader.decodeFrame(at: 0, into: surface)
            }
        }
        let full = canvas.picture
        let target = ShrinkOnLoad.storedTarget(of: reader.info, options.target)
        let stored = try CodecError.wrapping { () throws(PixelError) -> Bitmap in
            target == full.size ? full : try resample(full, to: target)
        }
        return try .upright(stored, reader.info, isPartial: isPartial)
    }
}
