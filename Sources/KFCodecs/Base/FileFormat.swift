/// A file format, detected from the bytes and never from a name or content type.
package enum FileFormat: String, Sendable, CaseIterable {
    case jpeg
    case png
    case gif
    case webp
    case avif
    case heif
    case jxl
    case tiff
    case bmp
    case ico
    case svg
}
