import ArgumentParser
import Foundation
import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The options for sources that are PDF documents.
struct PageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The page of a PDF document, from 1. (default: 1)", valueName: "n")
    )
    var page: Int?

    @Option(
        help: ArgumentHelp(
            "The pixels per inch of a PDF page, 1 to 2400. (default: 144)",
            valueName: "n"
        )
    )
    var dpi: Double?

    @Option(help: ArgumentHelp("The password of a PDF document.", valueName: "text"))
    var password: String?

    func validate() throws {
        if let page, page < 1 { throw ValidationError("the first page is 1, not \(page)") }
        if let dpi, !(1...2400).contains(dpi) {
            throw ValidationError("--dpi must be from 1 to 2400")
        }
    }

    /// The page of a document.
    func provider(for path: String) -> PDFPageDataProvider {
        PDFPageDataProvider(
            url: URL(fileURLWithPath: path),
            page: page ?? 1,
            dpi: dpi ?? 144,
            password: password
        )
    }

    /// Throws a ``Failure`` if an option is given that only documents have.
    func checkUnused(by source: String) throws {
        let name =
            page != nil ? "--page" : dpi != nil ? "--dpi" : password != nil ? "--password" : nil
        guard let name else { return }
        throw Failure("\(name) is for PDF documents, and \(source) is none")
    }
}

extension PictureSource {
    /// The path of a local PDF document; nil for anything else.
    var documentPath: String? { path.flatMap { Self.isDocument($0) ? $0 : nil } }

    /// Whether a regular file begins like a PDF document.
    static func isDocument(_ path: String) -> Bool {
        guard let file = try? InputFile(path: path, patience: 1), file.size != nil,
            let bytes = try? file.beginning(5)
        else { return false }
        return bytes.prefix(5) == Data("%PDF-".utf8)
    }
}

/// The report of `kf info` for a document.
struct DocumentReport: Report {
    let source: String
    let format = "pdf"
    let pages: Int
    /// Of the first page, in points.
    let pageWidth: Double
    let pageHeight: Double
    let bytes: Int?

    init(_ source: PictureSource, _ info: PDFDocumentInfo, byteCount: Int?) {
        self.source = source.text
        pages = info.pageCount
        pageWidth = info.pageSize.width
        pageHeight = info.pageSize.height
        bytes = byteCount
    }

    private enum CodingKeys: CodingKey {
        case source, format, pages, pageWidth, pageHeight, bytes
    }

    func summary() -> String {
        let size = "\(trimmed(pageWidth)) × \(trimmed(pageHeight)) points"
        let count = pages == 1 ? "1 page" : "\(pages) pages"
        return """
            \(Terminal.line(source))
              document \(count), \(size), PDF\(bytes.map { ", " + Readable.bytes($0) } ?? "")
            """
    }
}
