/// Crops to the part that draws most attention and resamples it to exactly `size`.
///
/// - Parameters:
///   - source: Any size; smaller ones are enlarged.
///   - size: In pixels, 1…65,535 on each side.
/// - Returns: A new bitmap of `size`.
/// - Throws: ``PixelError`` if the size is out of range or memory cannot be allocated.
package func smartCrop(_ source: Bitmap, to size: PixelSize) throws(PixelError) -> Bitmap {
    let rect = try attentionRect(source, ratio: size)
    return try resample(crop(source, to: rect), to: size)
}

/// The largest rectangle of an aspect ratio, placed where the bitmap draws most attention.
///
/// Attention is measured by edges (Laplacian of the luma), skin tones and saturated colours,
/// similar to "smartcrop" (Jonas Wagner, 2014), with a slight preference for the middle.
///
/// - Parameters:
///   - source: Any size.
///   - ratio: Only the ratio of its sides matters.
/// - Returns: A rectangle inside the bitmap that touches two opposite edges.
/// - Throws: ``PixelError`` if `ratio` is not a valid size or memory cannot be allocated.
package func attentionRect(
    _ source: Bitmap,
    ratio: PixelSize
) throws(PixelError) -> PixelRect {
    try PixelLimits.check(ratio)
    let size = source.size
    let scale = min(
        Double(size.width) / Double(ratio.width),
        Double(size.height) / Double(ratio.height)
    )
    let window = PixelSize(
        width: max(1, min(size.width, Int((Double(ratio.width) * scale).rounded()))),
        height: max(1, min(size.height, Int((Double(ratio.height) * scale).rounded())))
    )
    if window == size { return PixelRect(size: size) }
    let map = AttentionMap(try reducedForStatistics(source, side: 128))
    let slidesAcross = window.width < size.width
    let length = slidesAcross ? size.width : size.height
    let part = slidesAcross ? window.width : window.height
    let profile = slidesAcross ? map.columns : map.rows
    let offset = bestOffset(in: profile, length: length, part: part)
    return PixelRect(origin: slidesAcross ? (offset, 0) : (0, offset), size: window)
}

/// The offset at which a window of `part` out of `length` pixels covers the highest sum of
/// `profile`.
private func bestOffset(in profile: [Double], length: Int, part: Int) -> Int {
    let free = length - part
    let step = Double(profile.count) / Double(length)
    var sums = [0.0]
    for value in profile { sums.append(sums[sums.count - 1] + value) }
    func sum(upTo place: Double) -> Double {
        let whole = min(profile.count - 1, Int(place))
        return sums[whole] + profile[whole] * (place - Double(whole))
    }
    var best = (offset: free / 2, score: -Double.infinity)
    // One position per entry of the profile; finer steps would not add information.
    let places = min(free, profile.count)
    for place in 0...places {
        let offset = free * place / max(1, places)
        let inside = sum(upTo: Double(offset + part) * step) - sum(upTo: Double(offset) * step)
        let fromMiddle = abs(Double(offset) / Double(free) - 0.5)
        // The constant selects the middle if nothing draws attention.
        let score = inside - (sums[sums.count - 1] * 0.02 + 1e-9) * fromMiddle
        if score > best.score { best = (offset, score) }
    }
    return best.offset
}
