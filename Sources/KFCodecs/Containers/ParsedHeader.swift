/// The header of a file, read once for everything that needs it.
///
/// The header of a JPEG is kept whole, because decoding needs more than ``info``.
package struct ParsedHeader: Sendable {
    /// The properties stated in the header.
    package let info: ImageInfo
    let jpeg: JPEGHeader?

    init(_ info: ImageInfo) {
        self.info = info
        jpeg = nil
    }

    init(_ jpeg: JPEGHeader) {
        info = jpeg.info
        self.jpeg = jpeg
    }
}
