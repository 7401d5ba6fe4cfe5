import Foundation
@_spi(Server) import Kingfisher

/// What is processed: the file of a source, the image of a page if the source is a PDF document, or
/// that of a frame if it is a video.
struct SourcePage: Sendable {
    enum Kind: Sendable, Equatable {
        case image
        case document(pageCount: Int)
        /// The duration is nil if the file does not state it.
        case video(duration: Double?)
    }

    /// The resolution of a page; a result that is larger is refused or enlarged as any other.
    static let dpi = 144.0

    let item: ImageProcessItem
    let kind: Kind

    /// Draws the page or decodes the frame that a request names, in a worker process.
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
        let isDocument = settings.readsDocuments && PDFDocumentInfo.isBeginning(ofDocument: source)
        let isVideo =
            settings.readsVideos && !isDocument && VideoInfo.isBeginning(ofVideo: source)
        guard isDocument || options.page == 0 else {
            throw Self.missing("pages", "Leave page out", settings.readsDocuments)
        }
        guard isVideo || options.videoSecond == nil else {
            throw Self.missing("frames", "Leave vts out", settings.readsVideos)
        }
        guard isDocument || isVideo else {
            (item, kind) = (.data(source), .image)
            return
        }
        guard !options.isRaw else {
            throw ServiceError(
                422,
                "A document or a video is not passed on as it is",
                "Leave raw out"
            )
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
            let provider: any ImageDataProvider
            if isDocument {
                kind = .document(pageCount: try await PDFDocumentInfo(data: source).pageCount)
                provider = PDFPageDataProvider(
                    data: source,
                    page: options.page + 1,
                    dpi: Self.dpi,
                    cacheKey: ""
                )
            } else {
                kind = .video(duration: try await VideoInfo(data: source).duration)
                provider = VideoFrameDataProvider(
                    data: source,
                    at: options.videoSecond.map { .exact($0) } ?? .representative,
                    cacheKey: ""
                )
            }
            item = try await FileRenderer.item(of: provider)
        } catch {
            throw ServiceError(rendering: error)
        }
    }

    /// Describes the source rather than the image that was made of it.
    func describe(in information: inout ImageInformation) {
        switch kind {
        case .image: break
        case .document(let pageCount):
            (information.format, information.mimeType) = ("pdf", "application/pdf")
            information.pages = pageCount
        case .video(let duration):
            (information.format, information.mimeType) = ("video", "application/octet-stream")
            information.duration = duration
        }
    }

    private static func missing(_ parts: String, _ advice: String, _ isRead: Bool) -> ServiceError {
        isRead
            ? ServiceError(422, "The source has no \(parts)", advice)
            : ServiceError(404, "This service reads no sources with \(parts)", advice)
    }
}

extension ServiceError {
    /// Maps an error about a document or a video.
    init(_ error: DocumentError) {
        let detail = error.localizedDescription
        switch error {
        case .missingLibrary:
            self.init(500, "The service lacks a library", "Install it", detail: detail)
        case .noSuchPage(_, let count):
            self.init(
                422,
                "The document has no such page",
                "Name another one",
                detail: "It has \(count); the first is 0."
            )
        case .wrongPassword, .unreadable, .unusableClip:
            self.init(422, "The source cannot be read", "Name another one", detail: detail)
        case .tooLarge, .outOfMemory:
            self.init(422, "The source is too large", "Name another one", detail: detail)
        case .isolationFailed(let failure): self.init(failure)
        }
    }
}
