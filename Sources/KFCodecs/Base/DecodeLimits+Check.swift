package import KFPixels

extension DecodeLimits {
    /// Checks the size stated in a header, before anything is allocated.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:allowed:)`` for the first limit exceeded,
    ///   ``CodecError/corrupt(_:detail:)`` if a side is zero.
    package func check(_ size: PixelSize, of format: FileFormat) throws(CodecError) {
        try Self.check(size, of: format, side: maxDimension, count: maxPixelCount)
    }

    /// Checks the size stated in a header of an image that is decoded by rows into `target`.
    ///
    /// A target beyond the limits of a whole image is held to those limits.
    ///
    /// - Throws: ``CodecError``, as ``check(_:of:)``.
    func check(
        _ size: PixelSize,
        of format: FileFormat,
        reducedTo target: PixelSize
    ) throws(CodecError) {
        let isSmall =
            target.longestSide <= maxDimension && target.pixelCount ?? .max <= maxPixelCount
        guard target != size, isSmall else { return try check(size, of: format) }
        let side = max(maxDimension, PixelLimits.maxDimension)
        let count = max(maxPixelCount, maxReducedPixelCount)
        try Self.check(size, of: format, side: side, count: count)
    }

    private static func check(
        _ size: PixelSize,
        of format: FileFormat,
        side maxSide: Int,
        count maxCount: Int
    ) throws(CodecError) {
        guard !size.isEmpty else { throw .corrupt(format, detail: "a size of \(size)") }
        guard size.longestSide <= maxSide else {
            throw .limitExceeded(.dimension, value: size.longestSide, allowed: maxSide)
        }
        guard let count = size.pixelCount, count <= maxCount else {
            let value = size.pixelCount ?? .max
            throw .limitExceeded(.pixelCount, value: value, allowed: maxCount)
        }
    }

    func check(inputBytes count: Int) throws(CodecError) {
        guard count > 0 else { throw .empty }
        guard count <= maxInputBytes else {
            throw .limitExceeded(.inputBytes, value: count, allowed: maxInputBytes)
        }
    }

    func check(workingBytes count: Int) throws(CodecError) {
        guard count <= maxWorkingBytes else {
            throw .limitExceeded(.workingBytes, value: count, allowed: maxWorkingBytes)
        }
    }

    func check(frameCount count: Int) throws(CodecError) {
        guard count <= maxFrameCount else {
            throw .limitExceeded(.frameCount, value: count, allowed: maxFrameCount)
        }
    }

    /// Checks the memory of an animation: the canvas, its backup and one returned frame.
    func check(canvas size: PixelSize) throws(CodecError) {
        let bytes = size.byteCount(bytesPerPixel: Bitmap.bytesPerPixel * 3)
        guard bytes <= maxAnimationBytes else {
            throw .limitExceeded(.animationBytes, value: bytes, allowed: maxAnimationBytes)
        }
    }
}
