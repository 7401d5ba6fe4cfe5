package import KFPixels

/// Why a file could not be decoded, or a bitmap not encoded.
package enum CodecError: Error, Sendable, Equatable {
    /// The data is empty.
    case empty
    /// The first bytes match no format that this build knows.
    case unknownFormat
    /// The format is known, but this build does not support it or a feature of this file.
    case unsupported(FileFormat, feature: String)
    /// The format's library is loaded when it is first needed, and is not installed.
    case missingLibrary(FileFormat, name: String)
    /// The data ends before the image is complete.
    case truncated(FileFormat)
    /// The data violates its format.
    ///
    /// `detail` describes the fault, in the library's words or ours.
    case corrupt(FileFormat, detail: String)
    /// The file exceeds one of ``DecodeLimits``.
    case limitExceeded(Limit, value: Int, allowed: Int)
    /// The process that reads drawings failed, or there is none.
    case notDrawn(String)
    /// The bitmap cannot be created.
    case pixels(PixelError)
    /// The encoder failed.
    case encodingFailed(FileFormat, detail: String)
    /// ``EncodeOptions/isCancelled`` returned true.
    case cancelled

    package enum Limit: String, Sendable {
        case pixelCount = "pixels"
        case dimension = "pixels on one side"
        case frameCount = "frames"
        case animationBytes = "bytes of decoded frames"
        case inputBytes = "bytes of input"
        case workingBytes = "bytes of working memory"
        // The parts of a file; see ``ContainerLimits``.
        case boxes = "boxes"
        case items = "items"
        case properties = "properties of items"
        case references = "references between items"
        case extents = "extents of items"
        case tracks = "tracks"
        case icons = "icons"
        case chunks = "chunks"
    }
}

extension CodecError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty:
            "there are no bytes to decode"
        case .unknownFormat:
            "the bytes are not an image of a known format"
        case .unsupported(let format, let feature):
            "\(format.rawValue): \(feature) is not supported"
        case .missingLibrary(let format, let name):
            "\(format.rawValue): the library \(name) is not installed"
        case .truncated(let format):
            "\(format.rawValue): the data ends before the image is complete"
        case .corrupt(let format, let detail):
            "\(format.rawValue): the data is damaged (\(detail))"
        case .limitExceeded(let limit, let value, let allowed):
            "the image has \(value) \(limit.rawValue), the limit is \(allowed)"
        case .notDrawn(let reason):
            reason
        case .pixels(.emptySize(let size)):
            "an image of \(size) has no pixels"
        case .pixels(.tooLarge(let size)):
            "an image of \(size) pixels is too large"
        case .pixels(.outOfMemory(let bytes)):
            "\(bytes) bytes of memory for pixels could not be allocated"
        case .encodingFailed(let format, let detail):
            "\(format.rawValue): the image cannot be encoded (\(detail))"
        case .cancelled:
            "encoding was cancelled"
        }
    }
}
