import CKFCodecShims
import KFPixels

/// A file that libavif has parsed.
///
/// Not thread-safe: one thread at a time.
final class AVIFFile {
    private let avif: kf_avif
    private let decoder: UnsafeMutablePointer<avifDecoder>
    /// A copy of the file at a stable address: the library keeps pointers into it.
    private let bytes: PixelStorage
    /// The colour profile, known once a frame was decoded.
    ///
    /// The inner nil means sRGB.
    private var knownProfile: ColorProfile??
    /// Whether a decoder of AV1 runs.
    private var isDecoding = false
    /// The part of each frame that is shown.
    private var shown = PixelRect(x: 0, y: 0, width: 0, height: 0)
    /// The planes of the part, which the decoder owns; nil if all of a frame is shown.
    private var part: UnsafeMutablePointer<avifImage>?

    /// Parses the structure without decoding any pixels.
    ///
    /// Exif and XMP are ignored: they may lie at the very end of the file, and the orientation
    /// comes from item properties.
    ///
    /// - Throws: ``CodecError``.
    init(_ file: UnsafeRawBufferPointer, _ limits: DecodeLimits) throws(CodecError) {
        try BoxItems.check(file, limits)
        bytes = try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: file.count)
        }
        if let base = file.baseAddress {
            bytes.base.copyMemory(from: base, byteCount: file.count)
        }
        let boxes = AVIFBoxes(file)
        // libavif refuses a length of 0, which stands for the rest of the file.
        if let box = boxes.openBox, let length = UInt32(exactly: file.count - box) {
            bytes.base.storeBytes(of: length.bigEndian, toByteOffset: box, as: UInt32.self)
        }
        avif = try AVIFLibrary.load()
        guard let decoder = avif.avifDecoderCreate() else {
            throw .pixels(.outOfMemory(bytes: file.count))
        }
        self.decoder = decoder
        decoder.pointee.ignoreExif = AVIF_TRUE
        decoder.pointee.ignoreXMP = AVIF_TRUE
        decoder.pointee.maxThreads = 1
        decoder.pointee.imageCountLimit = UInt32(clamping: limits.maxFrameCount)
        // Twice our limit, so that our own check fails first and reports the exact number.
        decoder.pointee.imageSizeLimit = UInt32(
            clamping: min(limits.maxPixelCount * 2, Int(AVIF_DEFAULT_IMAGE_SIZE_LIMIT))
        )
        decoder.pointee.imageDimensionLimit = UInt32(clamping: limits.maxDimension * 2)
        // Accept files with small faults that every browser shows.
        decoder.pointee.strictFlags = UInt32(AVIF_STRICT_DISABLED.rawValue)
        let base = bytes.base.assumingMemoryBound(to: UInt8.self)
        try check(avif.avifDecoderSetIOMemory(decoder, base, file.count))
        let result = avif.avifDecoderParse(decoder)
        // libavif reports a structure that ends too early as damaged.
        let isShort = boxes.isCutOff && result != AVIF_RESULT_OK
        if isShort || boxes.lacksStructure { throw .truncated(.avif) }
        try check(result)
        shown = AVIFAperture(decoder.pointee.image)?.rect ?? PixelRect(size: stated)
        guard shown.size != stated else { return }
        part = avif.avifImageCreateEmpty()
        if part == nil { throw .pixels(.outOfMemory(bytes: MemoryLayout<avifImage>.size)) }
    }

    /// The size of the frames, before any part of them is cut off.
    private var stated: PixelSize {
        let image = decoder.pointee.image.pointee
        return PixelSize(width: Int(image.width), height: Int(image.height))
    }

    deinit {
        if let part { avif.avifImageDestroy(part) }
        avif.avifDecoderDestroy(decoder)
    }

    var info: ImageInfo {
        let image = decoder.pointee.image.pointee
        let frameCount = max(1, Int(decoder.pointee.imageCount))
        return ImageInfo(
            format: .avif,
            storedSize: shown.size,
            orientation: Self.orientation(decoder.pointee.image),
            frameCount: frameCount,
            loopCount: frameCount > 1 ? Int(kf_avif_loop_count(decoder)) : nil,
            hasAlpha: kf_avif_has_alpha(decoder) != 0,
            bitsPerChannel: Int(image.depth),
            hasColorProfile: image.icc.size > 0
        )
    }

    /// Bytes of the planes in which libavif holds one frame.
    var planeBytes: Int {
        let image = decoder.pointee.image.pointee
        // Samples per pixel, doubled to keep them whole numbers.
        let doubled =
            switch image.yuvFormat {
            case AVIF_PIXEL_FORMAT_YUV400: 2
            case AVIF_PIXEL_FORMAT_YUV420: 3
            case AVIF_PIXEL_FORMAT_YUV422: 4
            default: 6
            }
        let samples = doubled + (kf_avif_has_alpha(decoder) != 0 ? 2 : 0)
        let size = PixelSize(width: Int(image.width), height: Int(image.height))
        return size.byteCount(bytesPerPixel: image.depth > 8 ? samples * 2 : samples) / 2
    }

    /// The bytes that are held for the next frame: the planes of the last one, and those of at least
    /// one that the decoder refers to.
    var heldBytes: Int { isDecoding ? planeBytes * 2 : 0 }

    /// Releases the decoder of AV1; the next frame is decoded from the last key frame.
    func releaseDecoder() {
        guard isDecoding else { return }
        isDecoding = false
        // After a failure decoding the next frame fails, too, and reports it.
        _ = avif.avifDecoderReset(decoder)
    }

    /// The display time of a frame in seconds, as stated in the file; 0 if it is unknown.
    func delay(ofFrame index: Int) -> Double {
        var timing = avifImageTiming()
        let result = avif.avifDecoderNthImageTiming(decoder, UInt32(index), &timing)
        return result == AVIF_RESULT_OK ? timing.duration : 0
    }

    /// Decodes one frame to premultiplied sRGB RGBA of size `target`, before orientation.
    func decodeFrame(at index: Int, target: PixelSize) throws(CodecError) -> Bitmap {
        let size = info.storedSize
        guard target != size else {
            let storage = try CodecError.wrapping { () throws(PixelError) in
                try Bitmap.allocate(size)
            }
            let surface = FrameSurface(storage, size)
            let isOpaque = try decodeFrame(at: index, into: surface)
            return Bitmap(
                size: size,
                bytesPerRow: surface.bytesPerRow,
                isOpaque: isOpaque,
                storage: storage
            )
        }
        let image = try planes(ofFrame: index)
        let isOpaque = image.pointee.alphaPlane == nil
        let sink = try RowSink(source: size, target: target, isOpaque: isOpaque)
        if isReadDeep(image.pointee) {
            try readDeep(image) { _, row, finish in
                finish(row, sink.nextRow)
                sink.commit()
            }
            return sink.finish()
        }
        try convert(image, into: sink)
        let bitmap = sink.finish()
        profile()?.convert(bitmap)
        return bitmap
    }

    /// Decodes one frame to premultiplied sRGB RGBA in its stored size.
    ///
    /// - Returns: Whether every pixel is opaque.
    func decodeFrame(at index: Int, into surface: FrameSurface) throws(CodecError) -> Bool {
        let image = try planes(ofFrame: index)
        let isOpaque = image.pointee.alphaPlane == nil
        if isReadDeep(image.pointee) {
            try readDeep(image) { y, row, finish in finish(row, surface.row(y)) }
            return isOpaque
        }
        try convert(image, of: image.pointee, into: surface)
        profile()?.convert(surface, isOpaque: isOpaque)
        return isOpaque
    }

    /// Decodes a frame to planes, which libavif owns.
    ///
    /// They are valid until the next call.
    private func planes(
        ofFrame index: Int
    ) throws(CodecError) -> UnsafeMutablePointer<avifImage> {
        isDecoding = true
        try check(avif.avifDecoderNthImage(decoder, UInt32(index)))
        guard let image = decoder.pointee.image else {
            throw .corrupt(.avif, detail: "no image")
        }
        let size = PixelSize(width: Int(image.pointee.width), height: Int(image.pointee.height))
        // The bit stream has its own header, which may contradict the container.
        guard size == stated, !size.isEmpty else {
            throw .corrupt(.avif, detail: "a frame whose size differs from the header")
        }
        guard let part else { return image }
        var rect = avifCropRect(
            x: UInt32(shown.x),
            y: UInt32(shown.y),
            width: UInt32(shown.width),
            height: UInt32(shown.height)
        )
        try check(avif.avifImageSetViewRect(part, image, &rect))
        return part
    }

    private func profile() -> ColorProfile? {
        if let knownProfile { return knownProfile }
        // A view of a part has none.
        let image = decoder.pointee.image.pointee
        let profile =
            image.icc.size == 0
            ? ColorProfile(
                primaries: Int(image.colorPrimaries),
                transfer: Int(image.transferCharacteristics)
            )
            : ColorProfile(UnsafeRawBufferPointer(start: image.icc.data, count: image.icc.size))
        knownProfile = .some(profile)
        return profile
    }

    /// Whether rows are read with 16 bits per channel: those of 12 bits, and those whose colours are
    /// converted; for others libavif's way is faster.
    private func isReadDeep(_ image: avifImage) -> Bool {
        image.depth > 10 || image.depth > 8 && profile() != nil
    }

    private typealias DeepFinish =
        (UnsafeMutablePointer<UInt16>, UnsafeMutablePointer<UInt8>) -> Void

    /// Calls `take` with every row of 16 bits per channel, and with what converts it.
    private func readDeep(
        _ image: UnsafeMutablePointer<avifImage>,
        take: (_ y: Int, _ row: UnsafeMutablePointer<UInt16>, _ finish: DeepFinish) -> Void
    ) throws(CodecError) {
        let rows = AVIFDeepRows(avif: avif, image: image)
        let width = Int(image.pointee.width)
        let transform = profile()?.makeTransform(isDeep: true)
        try rows.read(check: check) { y, row in
            take(y, row) { DeepRow.finish($0, to: $1, width: width, rows.alpha, transform) }
        }
    }

    /// Converts `rows`, which are all rows of `image` or a view of some.
    private func convert(
        _ rows: UnsafePointer<avifImage>,
        of image: avifImage,
        into surface: FrameSurface
    ) throws(CodecError) {
        var rgb = avifRGBImage()
        avif.avifRGBImageSetDefaults(&rgb, rows)
        rgb.depth = 8
        rgb.format = AVIF_RGB_FORMAT_RGBA
        rgb.alphaPremultiplied = image.alphaPremultiplied
        kf_avif_set_pixels(&rgb, surface.row(0), UInt32(surface.bytesPerRow))
        try check(avif.avifImageYUVToRGB(rows, &rgb))
        // Premultiplied here if the file has straight alpha: libavif rounds differently.
        guard image.alphaPlane != nil, image.alphaPremultiplied == AVIF_FALSE else { return }
        for y in 0..<surface.size.height {
            premultiplyRow(surface.row(y), width: surface.size.width)
        }
    }

    /// Converts in bands of rows, so that only libavif's planes hold the full image.
    private func convert(
        _ image: UnsafeMutablePointer<avifImage>,
        into sink: RowSink
    ) throws(CodecError) {
        // An even number, because chroma may have half the rows.
        let bandHeight = 64
        let rowBytes = sink.source.width * Bitmap.bytesPerPixel
        let band = try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: rowBytes * min(bandHeight, sink.source.height))
        }
        guard let view = avif.avifImageCreateEmpty() else {
            throw .pixels(.outOfMemory(bytes: rowBytes))
        }
        defer { avif.avifImageDestroy(view) }
        for start in stride(from: 0, to: sink.source.height, by: bandHeight) {
            let count = min(bandHeight, sink.source.height - start)
            var rect = avifCropRect(
                x: 0,
                y: UInt32(start),
                width: image.pointee.width,
                height: UInt32(count)
            )
            try check(avif.avifImageSetViewRect(view, image, &rect))
            let size = PixelSize(width: sink.source.width, height: count)
            try convert(view, of: image.pointee, into: FrameSurface(band, size))
            for row in 0..<count {
                UnsafeMutableRawPointer(sink.nextRow)
                    .copyMemory(from: band.base + row * rowBytes, byteCount: rowBytes)
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
            throw .unsupported(.avif, feature: avif.text(of: result))
        default:
            throw .corrupt(.avif, detail: avif.text(of: result))
        }
    }

    // ISO/IEC 23008-12: the anticlockwise rotation by quarter turns comes first, then the mirror:
    // axis 0 exchanges top and bottom, axis 1 left and right.
    private static func orientation(_ image: UnsafePointer<avifImage>) -> Orientation {
        let transform = kf_avif_transform_of(image)
        let flags = transform.flags
        let quarters = flags & UInt32(AVIF_TRANSFORM_IROT.rawValue) != 0 ? transform.turns & 3 : 0
        guard flags & UInt32(AVIF_TRANSFORM_IMIR.rawValue) != 0 else {
            return [.up, .left, .down, .right][Int(quarters)]
        }
        return transform.axis == 0
            ? [.downMirrored, .leftMirrored, .upMirrored, .rightMirrored][Int(quarters)]
            : [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored][Int(quarters)]
    }
}
