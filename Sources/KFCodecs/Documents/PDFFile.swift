import CKFCodecShims
package import FoundationEssentials
package import KFPixels

/// A PDF document, drawn by poppler.
///
/// Only worker processes make one. The bytes must outlive it. Text in fonts that are not part of the
/// file is drawn in those of ``SystemFonts``. Text that needs a character map outside of the file is
/// left out, because a worker opens no files.
package final class PDFFile {
    /// How large a page is drawn.
    package enum Scale: Sendable, Equatable {
        /// Pixels per inch; a page of which a part of a pixel is left gets that pixel.
        case dpi(Double)
        /// The largest size inside of this one with the proportions of the page.
        case fitting(PixelSize)
    }

    /// PDF uses no more bytes of a password, and with more of them poppler 22.12 overruns its stack.
    package static let maxPasswordBytes = 127

    private let handle: OpaquePointer

    /// Opens a document.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - password: That of the user or of the owner; nil without.
    /// - Throws: ``DocumentFault``.
    package init(
        _ bytes: UnsafeRawBufferPointer,
        password: String?
    ) throws(DocumentFault) {
        guard let base = bytes.assumingMemoryBound(to: UInt8.self).baseAddress else {
            throw .damaged("it is empty")
        }
        guard password?.utf8.count ?? 0 <= Self.maxPasswordBytes else { throw .password }
        var document: OpaquePointer?
        let status = kf_pdf_open(base, bytes.count, password, &document)
        guard status == KF_PDF_OK, let document else {
            throw Self.fault(status, pageCount: 0)
        }
        handle = document
    }

    deinit { kf_pdf_close(handle) }

    /// Loads the library and draws an empty page: later, files may no longer be opened.
    package static func prepare() {
        guard kf_pdf_load() != 0 else { return }
        SystemFonts.prepare()
        let page = """
            %PDF-1.1
            1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
            2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
            3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]>>endobj
            trailer<</Root 1 0 R>>
            """
        Array(page.utf8).withUnsafeBytes { bytes in
            // Without it, the first document opens those files itself, or fails to.
            let file = try? PDFFile(bytes, password: nil)
            _ = try? file?.bitmap(ofPage: 0, .dpi(72), isTransparent: false)
        }
    }

    /// Whether a file begins like a PDF document, whose mark may follow other bytes within the first
    /// 1,024 (ISO 32000-1, annex H, 3.4.1).
    package static func isBeginning(of file: Data) -> Bool {
        let mark = Data("%PDF-".utf8)
        if file.starts(with: mark) { return true }
        // The mark may stand in the comment of an image.
        return file.prefix(1024).firstRange(of: mark) != nil
            && file.withUnsafeBytes { FileFormat.detect($0) } == nil
    }

    package var pageCount: Int { Int(kf_pdf_page_count(handle)) }

    /// The size of a page in points, of its crop box after its rotation.
    ///
    /// - Parameter index: From 0.
    /// - Returns: The size.
    /// - Throws: ``DocumentFault``.
    package func size(
        ofPage index: Int
    ) throws(DocumentFault) -> (width: Double, height: Double) {
        var (width, height) = (0.0, 0.0)
        try check(kf_pdf_page_size(handle, Int32(clamping: index), &width, &height))
        return (width, height)
    }

    /// Draws a page.
    ///
    /// - Parameters:
    ///   - index: From 0.
    ///   - scale: The size.
    ///   - isTransparent: Whether the paper is transparent rather than white.
    /// - Returns: The image.
    /// - Throws: ``DocumentFault``.
    package func bitmap(
        ofPage index: Int,
        _ scale: Scale,
        isTransparent: Bool
    ) throws(DocumentFault) -> Bitmap {
        let page = try size(ofPage: index)
        let (factor, size) = try Self.pixels(page, scale)
        var status = KF_PDF_OK
        let bitmap: Bitmap
        do throws(PixelError) {
            bitmap = try Bitmap(
                size: size,
                isOpaque: !isTransparent,
                filling: { pixels, _ in
                    status = kf_pdf_render(
                        handle,
                        Int32(clamping: index),
                        factor.x,
                        factor.y,
                        isTransparent ? 0 : 1,
                        pixels,
                        Int32(size.width),
                        Int32(size.height)
                    )
                }
            )
        } catch {
            throw .outOfMemory
        }
        try check(status)
        return bitmap
    }

    /// The pixels per point, and the size of the image.
    static func pixels(
        _ page: (width: Double, height: Double),
        _ scale: Scale
    ) throws(DocumentFault) -> (factor: (x: Double, y: Double), size: PixelSize) {
        switch scale {
        case .dpi(let dpi):
            let factor = dpi / 72
            let size = try checked(
                (page.width * factor).rounded(.up),
                (page.height * factor).rounded(.up)
            )
            return ((factor, factor), size)
        case .fitting(let box):
            let factor = min(
                Double(box.width) / page.width,
                Double(box.height) / page.height
            )
            let size = try checked(
                max(1, (page.width * factor).rounded()),
                max(1, (page.height * factor).rounded())
            )
            let exact = (Double(size.width) / page.width, Double(size.height) / page.height)
            return (exact, size)
        }
    }

    private static func checked(
        _ width: Double,
        _ height: Double
    ) throws(DocumentFault) -> PixelSize {
        // Not a number fails as well.
        guard width >= 1, height >= 1 else { throw .damaged("the page has no size") }
        let size = PixelSize(
            width: Int(min(width, Double(Int32.max))),
            height: Int(min(height, Double(Int32.max)))
        )
        let limits = DecodeLimits.default
        guard size.longestSide <= limits.maxDimension,
            let count = size.pixelCount, count <= limits.maxPixelCount
        else { throw .tooLarge(size) }
        return size
    }

    private func check(_ status: kf_pdf_status) throws(DocumentFault) {
        guard status == KF_PDF_OK else { throw Self.fault(status, pageCount: pageCount) }
    }

    private static func fault(_ status: kf_pdf_status, pageCount: Int) -> DocumentFault {
        switch status {
        case KF_PDF_NO_LIBRARY:
            .missingLibrary("poppler", package: "libpoppler-glib8 or libpoppler-glib8t64")
        case KF_PDF_PASSWORD: .password
        case KF_PDF_NO_PAGE: .noPage(count: pageCount)
        case KF_PDF_NO_MEMORY: .outOfMemory
        default: .damaged("it is no PDF document, or a damaged one")
        }
    }
}
