import FoundationEssentials
import KFPixels

extension Codecs {
    /// The frame reader for an animated file; nil if the format or the file has only one frame.
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
        case .jxl:
            return try JXLReader(data, options)
        case .jpeg, .heif, .tiff, .bmp, .ico, .svg:
            return nil
        }
    }

    /// The frame reader for a file of any format.
    static func frameReader(
        _ data: Data,
        _ options: DecodeOptions
    ) throws(CodecError) -> any FrameReader {
        let format = try data.withBytes { bytes throws(CodecError) in try FileFormat(of: bytes) }
        if let reader = try animationReader(data, format, options) { return reader }
        return try StillReader(data, options)
    }

    /// Decodes a PNG.
    ///
    /// If it is animated and its default image is no frame, decodes the first frame.
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
            reader = try APNGReader(data, options, needsFirstOnly: true)
        } catch .corrupt {
            // Viewers show the default image if no frame is usable.
            var image = try PNGDecoder(bytes: bytes, options: options).decode()
            if options.truncation == .keepsPartial { image.isPartial = true }
            return image
        }
        return try reader.decodeFirstFrame(isPartial: reader.isPartial, options)
    }
}
