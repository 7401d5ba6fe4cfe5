import CKFCodecShims
import KFPixels

/// Decodes a PNG row by row into the resampler.
///
/// Memory: the target, two rows and, if ISA-L inflates, a quarter of a megabyte or six rows. An
/// interlaced file also needs the whole image, because each of its passes touches all of it: one
/// byte per pixel and channel of the file (1…4), however small the target is.
struct PNGDecoder {
    let bytes: UnsafeRawBufferPointer
    let options: DecodeOptions
    /// Tests compare both.
    var inflater = KF_PNG_FASTEST

    func decode() throws(CodecError) -> DecodedImage {
        let (stored, info, isPartial) = try decodeStored()
        return try .upright(stored, info, isPartial: isPartial)
    }

    /// Decodes without applying the orientation.
    func decodeStored() throws(CodecError) -> (bitmap: Bitmap, info: ImageInfo, isPartial: Bool) {
        let header = try PNGHeader(parsing: bytes)
        let target = ShrinkOnLoad.storedTarget(of: header.info, options.target)
        try options.limits.check(header.size, of: .png, reducedTo: target)
        let part = ShrinkOnLoad.storedPart(of: header.info, target, options)
        let (bitmap, isPartial) = try decodePixels(header, target: target, part)
        if isPartial, options.truncation == .fails { throw .truncated(.png) }
        return (bitmap, header.info, isPartial)
    }

    private func decodePixels(
        _ header: PNGHeader,
        target: PixelSize,
        _ part: PixelRect?
    ) throws(CodecError) -> (Bitmap, isPartial: Bool) {
        guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
            let decoder = kf_png_decoder_create(
                base,
                bytes.count,
                UInt32(header.size.longestSide),
                inflater
            )
        else { throw .pixels(.outOfMemory(bytes: bytes.count)) }
        defer { kf_png_decoder_destroy(decoder) }

        let profile = header.colors.makeProfile(bytes)
        let deep = header.bitsPerChannel == 16 ? profile?.makeTransform(isDeep: true) : nil
        if deep != nil { kf_png_decoder_keep_depth(decoder) }
        if !header.hasTransparency { kf_png_decoder_ignore_transparency(decoder) }
        var found = kf_png_header()
        let status = kf_png_decoder_start(decoder, &found)
        guard status == KF_PNG_OK else { throw Self.failure(status, decoder) }
        guard Int(found.width) == header.size.width, Int(found.height) == header.size.height else {
            throw .corrupt(.png, detail: "two contradictory headers")
        }
        let rows = PNGRows(hasAlpha: found.has_alpha != 0, profile: profile, deep: deep)
        let sink = try RowSink(
            source: header.size,
            target: target,
            part: part,
            isOpaque: !rows.hasAlpha
        )
        let isComplete =
            try found.is_interlaced != 0
            ? readPicture(decoder, rows, channels: Int(found.channels), into: sink)
            : readRows(decoder, rows, into: sink)
        let bitmap = sink.finish()
        rows.finish(bitmap)
        return (bitmap, !isComplete)
    }

    /// Decodes the available rows; returns whether all were present.
    private func readRows(
        _ decoder: OpaquePointer,
        _ rows: PNGRows,
        into sink: RowSink
    ) throws(CodecError) -> Bool {
        let width = sink.source.width
        let deepRow = try rows.makeDeepRow(width: width)
        for _ in 0..<sink.neededRows.upperBound {
            let row = sink.nextRow
            let target = deepRow?.base.assumingMemoryBound(to: UInt8.self) ?? row
            let status = kf_png_decoder_read_row(decoder, target)
            guard status == KF_PNG_OK else {
                sink.discardRow()
                if status == KF_PNG_TRUNCATED { return false }
                throw Self.failure(status, decoder)
            }
            if sink.needsNextRow { rows.convert(row, width: width, from: deepRow) }
            sink.commit()
        }
        return true
    }

    private func readPicture(
        _ decoder: OpaquePointer,
        _ rows: PNGRows,
        channels: Int,
        into sink: RowSink
    ) throws(CodecError) -> Bool {
        let width = sink.source.width
        let pixelBytes = channels * (rows.isDeep ? 2 : 1)
        let rowBytes = width * pixelBytes
        let byteCount = sink.source.byteCount(bytesPerPixel: pixelBytes)
        try options.limits.check(workingBytes: byteCount)
        let picture = try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: byteCount)
        }
        let base = picture.base.assumingMemoryBound(to: UInt8.self)
        var count: UInt32 = 0
        let status = kf_png_decoder_read_picture(decoder, base, rowBytes, &count)
        guard status == KF_PNG_OK || status == KF_PNG_TRUNCATED else {
            throw Self.failure(status, decoder)
        }
        let deepRow = try rows.makeDeepRow(width: width)
        let needed = sink.neededRows.clamped(to: 0..<Int(count))
        sink.skip(needed.lowerBound)
        for y in needed {
            let row = sink.nextRow
            let source = UnsafeRawPointer(base + y * rowBytes)
            if let deepRow {
                PNGRows.expand(
                    source.assumingMemoryBound(to: UInt16.self),
                    channels: channels,
                    width: width,
                    to: deepRow.base.assumingMemoryBound(to: UInt16.self)
                )
            } else {
                PNGRows.expand(
                    source.assumingMemoryBound(to: UInt8.self),
                    channels: channels,
                    width: width,
                    to: row
                )
            }
            rows.convert(row, width: width, from: deepRow)
            sink.commit()
        }
        return status == KF_PNG_OK
    }

    private static func failure(_ status: kf_png_status, _ decoder: OpaquePointer) -> CodecError {
        if status == KF_PNG_TRUNCATED { return .truncated(.png) }
        return .corrupt(.png, detail: String(cString: kf_png_message(decoder)))
    }
}

/// Converts the rows that libpng delivers.
private struct PNGRows {
    let hasAlpha: Bool
    let profile: ColorProfile?
    // Colours can be converted without loss only while alpha is straight. Images with alpha are
    // therefore converted by rows, the others after scaling, when there are fewer pixels.
    private let transform: ColorTransform?
    // The converter of rows of 16 bits per channel, which are rounded after the conversion.
    private let deep: ColorTransform?

    init(hasAlpha: Bool, profile: ColorProfile?, deep: ColorTransform?) {
        self.hasAlpha = hasAlpha
        self.profile = profile
        self.deep = deep
        let isByRows = hasAlpha || profile?.isExact == true
        transform = isByRows && deep == nil ? profile?.makeTransform() : nil
    }

    var isDeep: Bool { deep != nil }

    /// Memory for a row of 16 bits per channel, if rows have them.
    func makeDeepRow(width: Int) throws(CodecError) -> PixelStorage? {
        guard isDeep else { return nil }
        return try CodecError.wrapping { () throws(PixelError) in
            try PixelStorage(byteCount: width * 8)
        }
    }

    /// Expands 1…4 channels to RGBA.
    static func expand<Channel: FixedWidthInteger>(
        _ source: UnsafePointer<Channel>,
        channels: Int,
        width: Int,
        to row: UnsafeMutablePointer<Channel>
    ) {
        guard channels < 4 else { return row.update(from: source, count: width * 4) }
        let isGray = channels < 3
        let hasAlpha = channels == 2
        for x in 0..<width {
            let pixel = source + x * channels
            row[x * 4] = pixel[0]
            row[x * 4 + 1] = isGray ? pixel[0] : pixel[1]
            row[x * 4 + 2] = isGray ? pixel[0] : pixel[2]
            row[x * 4 + 3] = hasAlpha ? pixel[1] : Channel.max
        }
    }

    func convert(_ row: UnsafeMutablePointer<UInt8>, width: Int, from deepRow: PixelStorage?) {
        if let deepRow {
            let source = deepRow.base.assumingMemoryBound(to: UInt16.self)
            return DeepRow.finish(source, to: row, width: width, hasAlpha ? .straight : .none, deep)
        }
        transform?.apply(row, width: width)
        guard hasAlpha else { return }
        premultiplyRow(row, width: width)
    }

    func finish(_ bitmap: Bitmap) {
        if !hasAlpha, deep == nil, transform == nil { profile?.convert(bitmap) }
    }
}
