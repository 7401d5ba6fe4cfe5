/// How many parts a file may have besides frames, far above what programs write.
///
/// Readers and libraries search lists of parts, or visit each part many times, so that a small file
/// of many parts takes long. `SECURITY.md` lists the limits.
enum ContainerLimits {
    /// The largest number of parts of a kind; nil if that is one of ``DecodeLimits``.
    private static func most(_ limit: CodecError.Limit) -> Int? {
        switch limit {
        // A photograph of 200 megapixels has 800 tiles of 512 × 512.
        case .items, .properties: 4096
        case .references, .extents: 16_384
        case .tracks: 16
        case .boxes: 20_000
        // Icons have a dozen sizes.
        case .icons: 256
        // Frames, with some chunks beside each.
        case .chunks: 200_000
        case .pixelCount, .dimension, .frameCount, .animationBytes, .inputBytes, .workingBytes: nil
        }
    }

    /// The most entries of an Exif directory that are read: cameras write a hundred.
    static let exifEntries = 1000

    /// - Throws: ``CodecError/limitExceeded(_:value:allowed:)``.
    static func check(_ count: Int, _ limit: CodecError.Limit) throws(CodecError) {
        guard let most = most(limit), count > most else { return }
        throw .limitExceeded(limit, value: count, allowed: most)
    }
}
