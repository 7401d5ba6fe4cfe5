/// A file format, detected from the bytes and never from a name or content type.
///
/// A new case also needs places that compile without it; see *Where a change goes* in
/// `CONTRIBUTING.md`.
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
