import KFPixels

extension CodecError {
    /// Runs `body` and rethrows its ``PixelError`` as ``CodecError/pixels(_:)``.
    static func wrapping<Result>(
        _ body: () throws(PixelError) -> Result
    ) throws(CodecError) -> Result {
        do throws(PixelError) {
            return try body()
        } catch { throw .pixels(error) }
    }
}
