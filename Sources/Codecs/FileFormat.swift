/// A kind of picture file, told by its bytes and never by its name or content type.
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
