import Pixels

/// What a file stores of one frame.
struct GIFImage {
    /// Where the pixels lie in the canvas.
    let rect: PixelRect
    let pixels: IndexedPixels
    /// Whether the colours are those of the file's first frame.
    var sharesColors: Bool
    /// Nil if every pixel is opaque and stays.
    let transparentIndex: Int?
    /// Whether the rectangle becomes transparent after the frame's time.
    let isCleared: Bool

    /// Chooses the colours of a change.
    ///
    /// Up to 256 colours are kept exactly. More are reduced, in an animation to 255, which leaves
    /// room for pixels that stay.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - shared: The colours of the file's first frame, which are used if they suffice; nil for
    ///     that frame itself.
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
        let hasTransparency: Bool
        if let table {
            hasTransparency = table.contains(0)
            let needed = table.colors + (change.isCleared ? [0] : [])
            let sufficient = needed.allSatisfy { shared?.contains($0) == true } ? shared : nil
            sharesColors = sufficient != nil
            pixels = try IndexedPixels(bitmap, numberedBy: sufficient ?? table)
        } else {
            sharesColors = false
            pixels = try ColorReduction(of: bitmap, to: isStill ? 256 : 255).indexed()
            hasTransparency = pixels.transparentIndex != nil
        }
        if change.isCleared || shared == nil && !isStill { pixels.addTransparentColor() }
        // Some viewers clear to a colour unless the frame has a transparent one.
        transparentIndex = hasTransparency || change.isCleared ? pixels.transparentIndex : nil
        self.pixels = pixels
        rect = change.rect
        isCleared = change.isCleared
    }
}
