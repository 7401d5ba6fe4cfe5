import CAVIF
import Pixels

/// A file that libavif has parsed.
///
/// Not to be used by two threads at a time.
final class AVIFFile {
    private let decoder: UnsafeMutablePointer<avifDecoder>
    /// The library keeps pointers into the file, so it gets a copy that stays in its place.
    private let bytes: PixelStorage

    /// Reads the structure and decodes nothing.
    ///
    /// Metadata is left alone: it may lie at the very end, and orientation is told by properties.
    init(_ file: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(CodecError) {
        bytes = try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: file.count)
        }
        if let base = file.baseAddress {
            bytes.base.copyMemory(from: base, byteCount: file.count)
        }
        guard let decoder = avifDecoderCreate() else {
            throw .pixels(.outOfMemory(bytes: file.count))
        }
        self.decoder = decoder
        decoder.pointee.ignoreExif = AVIF_TRUE
        decoder.pointee.ignoreXMP = AVIF_TRUE
        decoder.pointee.maxThreads = 1
        decoder.pointee.imageCountLimit = UInt32(clamping: limits.maxFrameCount)
        // Twice the limit, so that our own check is the one that names the number.
        decoder.pointee.imageSizeLimit = UInt32(
            clamping: min(limits.maxPixelCount * 2, Int(AVIF_DEFAULT_IMAGE_SIZE_LIMIT))
        )
        decoder.pointee.imageDimensionLimit = UInt32(clamping: limits.maxDimension * 2)
        // Files with small faults that every browser shows.
        decoder.pointee.strictFlags = UInt32(AVIF_STRICT_DISABLED.rawValue)
        let base = bytes.base.assumingMemoryBound(to: UInt8.self)
        try check(avifDecoderSetIOMemory(decoder, base, file.count))
        let result = avifDecoderParse(decoder)
        // The library calls a structure that ends too early damaged.
        let boxes = AVIFBoxes(file)
        let isShort = boxes.isCutOff && result != AVIF_RESULT_OK
        if isShort || boxes.lacksStructure { throw .truncated(.avif) }
        try check(result)
    }

    deinit { avifDecoderDestroy(decoder) }

    var info: ImageInfo {
        let image = decoder.pointee.image.pointee
        let frameCount = max(1, Int(decoder.pointee.imageCount))
        return ImageInfo(
            format: .avif,
            storedSize: PixelSize(width: Int(image.width), height: Int(image.height)),
            orientation: Self.orientation(image),
            frameCount: frameCount,
            loopCount: frameCount > 1 ? 0 : nil,
            hasAlpha: decoder.pointee.alphaPresent != 0,
            bitsPerChannel: Int(image.depth),
            hasColorProfile: image.icc.size > 0
        )
    }

    /// Bytes of the planes in which the library holds one frame.
    var planeBytes: Int {
        let image = decoder.pointee.image.pointee
        // Twice the samples of a pixel, so that they are whole numbers.
        let doubled =
            switch image.yuvFormat {
            case AVIF_PIXEL_FORMAT_YUV400: 2
            case AVIF_PIXEL_FORMAT_YUV420: 3
            case AVIF_PIXEL_FORMAT_YUV422: 4
            default: 6
            }
        let samples = doubled + (decoder.pointee.alphaPresent != 0 ? 2 : 0)
        let bytes = Int(image.width) * Int(image.height) * samples / 2
        return image.depth > 8 ? bytes * 2 : bytes
    }

    /// How long a frame of a sequence is shown, in seconds as stated.
    func delay(ofFrame index: Int) -> Double {
        var timing = avifImageTiming()
        guard avifDecoderNthImageTiming(decoder, UInt32(index), &timing) == AVIF_RESULT_OK else {
            return 0
        }
        return timing.duration
    }

    /// Decodes one frame to premultiplied RGBA in sRGB of `target`, before orientation.
    func decodeFrame(at index: Int, target: PixelSize?) throws(CodecError) -> Bitmap {
        try check(avifDecoderNthImage(decoder, UInt32(index)))
        guard let image = decoder.pointee.image else {
            throw .corrupt(.avif, detail: "no picture")
        }
        let size = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        // The bit stream has a header of its own.
        guard size == info.storedSize, !size.isEmpty else {
            throw .corrupt(.avif, detail: "a frame of another size than it says")
        }
        let isOpaque = image.pointee.alphaPlane == nil
        let sink = try RowSink(source: size, target: target ?? size, isOpaque: isOpaque)
        try convert(image, into: sink)
        let bitmap = sink.finish()
        Self.profile(of: image.pointee)?.convert(bitmap)
        return bitmap
    }

    private static func profile(of image: avifImage) -> ColorProfile? {
        guard image.icc.size == 0 else {
            return ColorProfile(
                UnsafeRawBufferPointer(start: image.icc.data, count: image.icc.size)
            )
        }
        return ColorProfile(
            primaries: Int(image.colorPrimaries),
            transfer: Int(image.transferCharacteristics)
        )
    }

    /// Converts by bands of rows, so that the full picture exists in the library's planes alone.
    private func convert(
        _ image: UnsafeMutablePointer<avifImage>,
        into sink: RowSink
    ) throws(CodecError) {
        // Even, because chroma may have half the rows.
        let bandHeight = 64
        let rowBytes = sink.source.width * Bitmap.bytesPerPixel
        let band = try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: rowBytes * min(bandHeight, sink.source.height))
        }
        guard let view = avifImageCreateEmpty() else {
            throw .pixels(.outOfMemory(bytes: rowBytes))
        }
        defer { avifImageDestroy(view) }
        // Done here where the file leaves the choice: the library rounds differently.
        let premultiplies =
            image.pointee.alphaPlane != nil && image.pointee.alphaPremultiplied == AVIF_FALSE
        for start in stride(from: 0, to: sink.source.height, by: bandHeight) {
            let count = min(bandHeight, sink.source.height - start)
            var rect = avifCropRect(
                x: 0,
                y: UInt32(start),
                width: image.pointee.width,
                height: UInt32(count)
            )
            try check(avifImageSetViewRect(view, image, &rect))
            var rgb = avifRGBImage()
            avifRGBImageSetDefaults(&rgb, view)
            rgb.depth = 8
            rgb.format = AVIF_RGB_FORMAT_RGBA
            rgb.alphaPremultiplied = image.pointee.alphaPremultiplied
            rgb.pixels = band.base.assumingMemoryBound(to: UInt8.self)
            rgb.rowBytes = UInt32(rowBytes)
            try check(avifImageYUVToRGB(view, &rgb))
            for row in 0..<count {
                UnsafeMutableRawPointer(sink.nextRow)
                    .copyMemory(from: band.base + row * rowBytes, byteCount: rowBytes)
                if premultiplies { premultiplyRow(sink.nextRow, width: sink.source.width) }
                sink.commit()
            }
        }
    }

    private func check(_ result: avifResult) throws(CodecError) {
        switch result {
        case AVIF_RESULT_OK:
            return
        case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_WAITING_ON_IO:
            throw .truncated(.avif)
        case AVIF_RESULT_NO_CODEC_AVAILABLE, AVIF_RESULT_NOT_IMPLEMENTED,
            AVIF_RESULT_UNSUPPORTED_DEPTH:
            throw .unsupported(.avif, feature: String(cString: avifResultToString(result)))
        default:
            throw .corrupt(.avif, detail: String(cString: avifResultToString(result)))
        }
    }

    // ISO/IEC 23008-12: a turn anticlockwise by quarters first, then a mirror: 0 exchanges top and
    // bottom, 1 left and right.
    private static func orientation(_ image: avifImage) -> Orientation {
        let flags = image.transformFlags
        let quarters = flags & UInt32(AVIF_TRANSFORM_IROT.rawValue) != 0 ? image.irot.angle & 3 : 0
        guard flags & UInt32(AVIF_TRANSFORM_IMIR.rawValue) != 0 else {
            return [.up, .left, .down, .right][Int(quarters)]
        }
        return kf_avif_mirror_axis(image.imir) == 0
            ? [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored][Int(quarters)]
            : [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored][Int(quarters)]
    }
}
