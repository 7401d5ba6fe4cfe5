import Foundation
import Kingfisher

/// The file that is processed: a source, or the image of a page if the source is a PDF document.
struct SourcePage: Sendable {
    /// The resolution of a page; a result that is larger is refused or enlarged as any other.
    static let dpi = 144.0

    let file: Data
    /// The number of pages; nil for an image.
    let pageCount: Int?

    /// Draws the page that a request names, in a worker process.
    ///
    /// - Parameters:
    ///   - source: The bytes of the source.
    ///   - options: The options of the request.
    ///   - settings: The configuration.
    /// - Throws: ``ServiceError``.
    init(
        of source: Data,
        _ options: ProcessingOptions,
        _ settings: RendererSettings
    ) async throws(ServiceError) {
        guard settings.readsDocuments, source.starts(with: Data("%PDF-".utf8)) else {
            guard options.page == 0 else { throw Self.noPages(settings) }
            (file, pageCount) = (source, nil)
            return
        }
        guard !options.isRaw else {
            throw ServiceError(422, "A document is not passed on as it is", "Leave raw out")
        }
        if let most = settings.limits(options).fileSize, most > 0, source.count > most {
            throw ServiceError(
                422,
                "The source file is too large",
                "Name a smaller one",
                detail: "It has \(source.count) bytes; at most \(most) are allowed."
            )
        }
        do {
            pageCount = try await PDFDocumentInfo(data: source).pageCount
            file = try await PDFPageDataProvider(
                data: source,
                page: options.page + 1,
                dpi: Self.dpi,
                cacheKey: ""
            ).data()
        } catch {
            throw ServiceError(rendering: error)
        }
    }

    private static func noPages(_ settings: RendererSettings) -> ServiceError {
        guard settings.readsDocuments else {
            return ServiceError(404, "This service reads no documents", "Leave page out")
        }
        return ServiceError(422, "The source has no pages", "Leave page out")
    }
}

extension ServiceError {
    /// Maps an error about a document.
    init(_ error: DocumentError) {
        let detail = error.localizedDescription
        switch error {
        case .missingLibrary:
            self.init(500, "The service cannot read documents", "Install poppler", detail: detail)
        case .noSuchPage(_, let count):
            self.init(
                422,
                "The document has no such page",
                "Name another one",
                detail: "It has \(count); the first is 0."
            )
        case .wrongPassword, .unreadable:
            self.init(422, "The document cannot be read", "Name another one", detail: detail)
        case .tooLarge, .outOfMemory:
            self.init(422, "The page is too large", "Name another one", detail: detail)
        case .isolationFailed(let failure): self.init(failure)
        }
    }
}
