public import Foundation
import KFCodecs
import KFPixels

/// Draws a page of a PDF document.
///
/// Not part of Kingfisher for Apple platforms. The document is read and drawn in a worker process
/// only, also without ``KingfisherOptionsInfoItem/isolated``: `main` has to begin with
/// ``ProcessIsolation/runWorkerIfAsked()``. The library that draws, poppler, is loaded in the
/// workers when the first page is asked for. A machine without it reports
/// ``DocumentError/missingLibrary(name:package:)``.
///
/// The page is its crop box, turned as the document states, with its annotations. A worker opens no
/// files, so text is drawn only in fonts that are part of the document. Scripts are not run.
public struct PDFPageDataProvider: ImageDataProvider {
    /// The document, if it is a file.
    public let url: URL?

    /// The number of the page, from 1.
    public let page: Int

    /// The password of the user or of the owner; not part of the key.
    public var password: String?

    /// Whether the paper is transparent rather than white.
    public let isTransparent: Bool

    /// The key under which the image is cached.
    public var cacheKey: String

    /// The workers, for tests; nil for those of the program.
    var pool: WorkerPool?

    private let bytes: Data?
    private let scale: PDFFile.Scale
    /// Whether the caller has left the size to the library.
    private let isUsualSize: Bool

    /// Makes a provider of a page of a file.
    ///
    /// - Parameters:
    ///   - url: A `file:` URL of a regular file.
    ///   - page: The number of the page, from 1.
    ///   - dpi: Pixels per inch, 1 to 2400. Nil draws the page in the size that the processor of a load
    ///     asks for, as if it were resized from 144 dpi, and with 144 dpi without such a processor.
    ///   - password: The password of an encrypted document.
    ///   - isTransparent: Whether the paper is transparent rather than white.
    ///   - cacheKey: Defaults to the URL with the page and its size, followed by the size of the
    ///     file and the time of its last change.
    public init(
        url: URL,
        page: Int = 1,
        dpi: Double? = nil,
        password: String? = nil,
        isTransparent: Bool = false,
        cacheKey: String? = nil
    ) {
        self.init(url, nil, page, Self.scale(dpi), dpi == nil, password, isTransparent, cacheKey)
    }

    /// Makes a provider of a page of a file, drawn in the largest size that fits.
    ///
    /// - Parameters:
    ///   - url: A `file:` URL of a regular file.
    ///   - page: The number of the page, from 1.
    ///   - size: In pixels; the page keeps its proportions inside.
    ///   - password: The password of an encrypted document.
    ///   - isTransparent: Whether the paper is transparent rather than white.
    ///   - cacheKey: Defaults to the URL with the page and its size, followed by the size of the
    ///     file and the time of its last change.
    public init(
        url: URL,
        page: Int = 1,
        size: CGSize,
        password: String? = nil,
        isTransparent: Bool = false,
        cacheKey: String? = nil
    ) {
        self.init(url, nil, page, Self.scale(size), false, password, isTransparent, cacheKey)
    }

    /// Makes a provider of a page of a document in memory.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - page: The number of the page, from 1.
    ///   - dpi: Pixels per inch, 1 to 2400. Nil draws the page in the size that the processor of a load
    ///     asks for, as if it were resized from 144 dpi, and with 144 dpi without such a processor.
    ///   - password: The password of an encrypted document.
    ///   - isTransparent: Whether the paper is transparent rather than white.
    ///   - cacheKey: The key under which the image is cached; it has to name the page and its size.
    public init(
        data: Data,
        page: Int = 1,
        dpi: Double? = nil,
        password: String? = nil,
        isTransparent: Bool = false,
        cacheKey: String
    ) {
        self.init(nil, data, page, Self.scale(dpi), dpi == nil, password, isTransparent, cacheKey)
    }

    private init(
        _ url: URL?,
        _ bytes: Data?,
        _ page: Int,
        _ scale: PDFFile.Scale,
        _ isUsualSize: Bool,
        _ password: String?,
        _ isTransparent: Bool,
        _ cacheKey: String?
    ) {
        self.url = url
        self.bytes = bytes
        self.page = page
        self.scale = scale
        self.isUsualSize = isUsualSize
        self.password = password
        self.isTransparent = isTransparent
        let size =
            switch scale {
            case .dpi(let dpi): "\(NumberText.number(CGFloat(dpi)))dpi"
            case .fitting(let size): "\(size.width)x\(size.height)"
            }
        let paper = isTransparent ? "_transparent" : ""
        self.cacheKey = cacheKey ?? url?.cacheKey(ofPart: "page_\(page)_\(size)\(paper)") ?? ""
    }

    private static func scale(_ dpi: Double?) -> PDFFile.Scale {
        let dpi = dpi ?? 144
        // Not a number becomes 1.
        return .dpi(dpi >= 1 ? min(2400, dpi) : 1)
    }

    private static func scale(_ size: CGSize) -> PDFFile.Scale {
        .fitting(PixelSize(bounding: size))
    }

    /// Draws the page, as a PNG.
    ///
    /// - Throws: ``DocumentError``; ``LocalFileError`` or `CocoaError` if the file cannot be read;
    ///   `CancellationError`.
    public func data() async throws -> Data { try await content(for: nil).file() }

    /// The file's URL.
    public var contentURL: URL? { url }
}

extension PDFPageDataProvider: PreparedDataProvider {
    /// Draws the page in the size that the load's processor needs.
    func content(for context: ProviderContext?) async throws -> ProvidedContent {
        let reading = try DocumentReading(.pages, pool)
        let file = try await DocumentBytes(url: url, data: bytes).read()
        var request = PageRequest(
            index: page.subtractingReportingOverflow(1).partialValue,
            password: password,
            kind: .facts
        )
        let scale = try await neededScale(request, of: file, by: reading, context)
        request.kind = .image(scale, isTransparent: isTransparent)
        let answer = try await reading.answer(to: request.message(for: file), page: page)
        return .pixels(try reading.bitmap(of: answer))
    }

    /// The scale of the provider, or the one with which the page covers what the processor needs.
    private func neededScale(
        _ facts: PageRequest,
        of file: Data,
        by reading: DocumentReading,
        _ context: ProviderContext?
    ) async throws -> PDFFile.Scale {
        // An original in the cache is for all processors.
        guard isUsualSize, case .dpi(let dpi) = scale, let context,
            !context.options.cacheOriginalImage
        else { return scale }
        let request = DecodeRequest(context.options.forStills)
        guard request.takesBitmap, !request.options.processor.onlyDecodes else { return scale }
        let answer = try await reading.answer(to: facts.message(for: file), page: page)
        guard case .page(let page) = answer else { throw DocumentReading.invalid("it has no size") }
        func pixels(_ points: Double) -> Int {
            Int(min(Double(PixelLimits.maxDimension), (points * dpi / 72).rounded(.up)))
        }
        let own = PixelSize(width: pixels(page.width), height: pixels(page.height))
        guard !own.isEmpty else { return scale }
        let needed = request.size(of: own)
        guard needed != own else { return scale }
        let factor = max(
            Double(needed.width) / Double(own.width),
            Double(needed.height) / Double(own.height)
        )
        func side(_ length: Int) -> CGFloat { (Double(length) * factor).rounded() }
        let size = CGSize(width: side(own.width), height: side(own.height))
        return .fitting(PixelSize(bounding: size))
    }
}

/// The number of pages of a PDF document, and the size of its first page.
///
/// Not part of Kingfisher for Apple platforms. Read in a worker process only, as by
/// ``PDFPageDataProvider``.
public struct PDFDocumentInfo: Sendable, Hashable {
    /// The number of pages.
    public let pageCount: Int
    /// The size of the first page in points, 1/72 of an inch: of its crop box after its rotation.
    public let pageSize: CGSize

    /// Whether a file begins like a PDF document; looks at 1,024 bytes.
    @_spi(Programs) @_spi(Server) public static func isBeginning(ofDocument file: Data) -> Bool {
        PDFFile.isBeginning(of: file)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - url: A `file:` URL of a regular file.
    ///   - password: The password of an encrypted document.
    /// - Throws: ``DocumentError``; ``LocalFileError`` or `CocoaError` if the file cannot be read;
    ///   `CancellationError`.
    public init(contentsOf url: URL, password: String? = nil) async throws {
        try await self.init(DocumentBytes(url: url, data: nil), password, nil)
    }

    /// Reads a document in memory.
    ///
    /// - Parameters:
    ///   - data: The document.
    ///   - password: The password of an encrypted document.
    /// - Throws: ``DocumentError``, `CancellationError`.
    public init(data: Data, password: String? = nil) async throws {
        try await self.init(DocumentBytes(url: nil, data: data), password, nil)
    }

    /// As above, with another pool than that of the program.
    init(_ document: DocumentBytes, _ password: String?, _ pool: WorkerPool?) async throws {
        let reading = try DocumentReading(.pages, pool)
        let request = PageRequest(index: 0, password: password, kind: .facts)
        let answer = try await reading.answer(to: request.message(for: document.read()))
        guard case .page(let facts) = answer else {
            throw DocumentReading.invalid("it has no number of pages")
        }
        pageCount = facts.pageCount
        pageSize = CGSize(width: facts.width, height: facts.height)
    }
}
