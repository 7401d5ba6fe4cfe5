import KFPixels

/// One frame as the file stores it.
struct GIFImage {
    /// Where the pixels lie in the canvas.
    let rect: PixelRect
    let pixels: IndexedPixels
    /// The same with the own colours of pixels that do not change, where the palette has them; nil if
    /// it has none.
    let ownColors: IndexedPixels?
    /// Whether the palette is that of the file's first frame, which the file stores once.
    let sharesPalette: Bool
    /// The index of the transparent colour; nil if the frame has none.
    let transparentIndex: Int?
    /// Whether the rectangle becomes transparent after the frame's time.
    let isCleared: Bool

    /// The bits of an index with which the codes begin, 2…8.
    ///
    /// giflib takes those of a palette of the frame's own.
    var indexBits: Int {
        var most = pixels.palette.count - 1
        if sharesPalette {
            most = withExtendedLifetime(pixels) { Int(pixels.indices.max() ?? 0) }
        }
        return max(2, Int.bitWidth - most.leadingZeroBitCount)
    }

    /// Chooses the colours of a change.
    ///
    /// Up to 256 colours are kept exactly. More are reduced to 256, or in an animation to 255, since
    /// pixels that do not change need a transparent colour.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - shared: The palette of the file's first frame, which is used if it has all colours; nil
    ///     for that frame itself.
    ///   - isStill: Whether this is the only frame.
    /// - Throws: ``CodecError/pixels(_:)`` if memory cannot be allocated.
    init(
        _ change: GIFCanvas.Change,
        sharing shared: ColorTable?,
        isStill: Bool
    ) throws(CodecError) {
        var bitmap = try change.changedPixels()
        var table = ColorTable(of: bitmap, atMost: 256)
        if table == nil {
            let all = try change.pixels()
            table = ColorTable(of: all, atMost: 256)
            if table != nil { bitmap = all }
        }
        var pixels: IndexedPixels
        var ownColors: IndexedPixels?
        let hasTransparency: Bool
        if let table {
            hasTransparency = table.contains(0)
            let needed = table.colors + (change.isCleared ? [0] : [])
            let sufficient = needed.allSatisfy { shared?.contains($0) == true } ? shared : nil
            sharesPalette = shared == nil || sufficient != nil
            pixels = try IndexedPixels(bitmap, numberedBy: sufficient ?? table)
            if !change.isFirst, hasTransparency, let transparent = pixels.transparentIndex {
                ownColors = try IndexedPixels(
                    change.pixels(),
                    numberedBy: sufficient ?? table,
                    missing: transparent
                )
            }
        } else {
            sharesPalette = shared == nil
            pixels = try ColorReduction(of: bitmap, to: isStill ? 256 : 255).indexed()
            hasTransparency = pixels.transparentIndex != nil
        }
        if change.isCleared || shared == nil && !isStill { pixels.addTransparentColor() }
        // Some viewers clear the rectangle to a visible colour if the frame has no transparent one.
        transparentIndex = hasTransparency || change.isCleared ? pixels.transparentIndex : nil
        (self.pixels, self.ownColors) = (pixels, ownColors)
        rect = change.rect
        isCleared = change.isCleared
    }
}
