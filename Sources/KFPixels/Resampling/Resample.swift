/// Resamples `source` to exactly `size` with a separable filter.
///
/// Works on premultiplied RGBA8, in bands of rows, one band per core if there is enough work. A
/// reduction by four or more is first averaged over whole pixels by half its factor, by 16 or more
/// by a quarter (at least 48 dB against the full filter on photographs). A bitmap of one colour
/// keeps that colour; no colour exceeds its alpha.
///
/// - Parameters:
///   - source: Any size from 1 × 1; rows may be padded.
///   - size: In pixels, 1…65,535 on each side.
///   - filter: Lanczos with three lobes by default.
/// - Returns: A new bitmap, or `source` itself if it already has that size.
/// - Throws: ``PixelError`` if the size is out of range or memory cannot be allocated.
package func resample(
    _ source: Bitmap,
    to size: PixelSize,
    filter: ResampleFilter = .lanczos3
) throws(PixelError) -> Bitmap {
    try resample(source, to: size, filter: filter, backend: Convolution.backend)
}

/// Makes a part of what ``resample(_:to:filter:)`` makes, with the same pixels.
///
/// - Parameters:
///   - source: Any size.
///   - size: The size of the whole result, 1…65,535 on each side.
///   - part: Within `size`, and not empty.
/// - Returns: A bitmap of the size of the part.
/// - Throws: ``PixelError`` if a size is out of range or memory cannot be allocated.
package func resample(
    _ source: Bitmap,
    to size: PixelSize,
    part: PixelRect
) throws(PixelError) -> Bitmap {
    if part.size == size { return try resample(source, to: size) }
    if source.size == size { return try crop(source, to: part) }
    try PixelLimits.check(part.size)
    // The whole is never made, so that it may be larger than the current scope allows.
    let resampler = try PixelScope.lifted { () throws(PixelError) in
        try RowResampler(
            source: source.size,
            target: size,
            part: part,
            isOpaque: source.isOpaque
        )
    }
    source.withPixels { pixels, stride in
        resampler.push(pixels, bytesPerRow: stride, count: source.height)
    }
    return resampler.finish()
}

/// See ``resample(_:to:filter:)``.
///
/// The backend can be chosen, to compare or measure the twins.
package func resample(
    _ source: Bitmap,
    to size: PixelSize,
    filter: ResampleFilter,
    backend: Convolution.Backend
) throws(PixelError) -> Bitmap {
    guard source.size != size else { return source }
    let plan = try ResamplePlan(
        source: source.size,
        target: size,
        filter: filter,
        isOpaque: source.isOpaque,
        backend: backend
    )
    let storage = try Bitmap.allocate(size)
    let out = storage.base.assumingMemoryBound(to: UInt8.self)
    let bytesPerRow = size.width * Bitmap.bytesPerPixel
    let work = source.width * source.height + size.width * size.height
    try RowBands.run(rows: size.height, work: work) { rows throws(PixelError) in
        let part = PixelRect(x: 0, y: rows.lowerBound, width: size.width, height: rows.count)
        let first = out + rows.lowerBound * bytesPerRow
        var band = try ResampleBand(plan, part, into: first, bytesPerRow: bytesPerRow)
        source.withPixels { pixels, stride in
            band.feed(
                pixels + band.sourceRows.lowerBound * stride,
                bytesPerRow: stride,
                count: band.sourceRows.count
            )
        }
    }
    return Bitmap(
        size: size,
        bytesPerRow: bytesPerRow,
        isOpaque: source.isOpaque,
        storage: storage
    )
}
