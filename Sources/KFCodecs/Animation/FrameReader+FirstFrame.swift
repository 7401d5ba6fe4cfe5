import KFPixels

extension FrameReader {
    /// Decodes the canvas as it looks during the first frame.
    func decodeFirstFrame(
        isPartial: Bool,
        _ options: DecodeOptions
    ) throws(CodecError) -> DecodedImage {
        // A few bytes can request a canvas of any size, whatever the target is.
        try options.limits.check(canvas: canvasSize)
        var reader = self
        let frame = frames[0]
        var canvas = try FrameCanvas(size: canvasSize)
        if !frame.rect.isEmpty {
            try canvas.draw(frame) { surface throws(CodecError) in
                try reader.decodeFrame(at: 0, into: surface)
            }
        }
        let full = canvas.picture
        let target = ShrinkOnLoad.storedTarget(of: info, options.target)
        let stored = try CodecError.wrapping { () throws(PixelError) -> Bitmap in
            target == full.size ? full : try resample(full, to: target)
        }
        return try .upright(stored, info, isPartial: isPartial)
    }
}
