import ArgumentParser
import Foundation
import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The options for sources that are PDF documents or videos.
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

    @Option(
        help: ArgumentHelp(
            "The time of a video's frame: 12.5s or 1:02:03. (default: a frame that is neither dark "
                + "nor blurred)",
            valueName: "time"
        ),
        transform: Self.seconds
    )
    var at: TimeInterval?

    @Flag(help: "Take the cover image of a video that has one.")
    var cover = false

    func validate() throws {
        if let page, page < 1 { throw ValidationError("the first page is 1, not \(page)") }
        if let dpi, !(1...2400).contains(dpi) {
            throw ValidationError("--dpi must be from 1 to 2400")
        }
    }

    /// The page of a document, or the frame of a video.
    ///
    /// - Parameters:
    ///   - document: The file.
    ///   - steps: What is made of the image; a worker shrinks a frame that they make much smaller.
    /// - Returns: The provider.
    func provider(
        for document: LocalDocument,
        before steps: [ProcessorSpec] = []
    ) -> any ImageDataProvider {
        let url = URL(fileURLWithPath: document.path)
        return switch document.kind {
        case .pdf:
            PDFPageDataProvider(
                url: url,
                page: page ?? 1,
                dpi: dpi ?? 144,
                password: password
            )
        case .video:
            VideoFrameDataProvider(
                url: url,
                at: at.map { .exact($0) } ?? .representative,
                maximumSize: steps.first?.sufficientSize,
                prefersCover: cover
            )
        }
    }

    /// Refuses options that the source does not have.
    ///
    /// - Parameters:
    ///   - kind: The kind of the source; nil for an image.
    ///   - source: Its title.
    /// - Throws: ``Failure``.
    func check(_ kind: LocalDocument.Kind?, of source: String) throws {
        let page =
            page != nil ? "--page" : dpi != nil ? "--dpi" : password != nil ? "--password" : nil
        if kind != .pdf, let page {
            throw Failure("\(page) is for PDF documents, and \(source) is none")
        }
        let frame = at != nil ? "--at" : cover ? "--cover" : nil
        if kind != .video, let frame {
            throw Failure("\(frame) is for videos, and \(source) is none")
        }
    }

    /// The seconds of `12.5`, `12.5s`, `1:02` or `1:02:03.5`.
    private static func seconds(_ text: String) throws -> TimeInterval {
        let parts = (text.hasSuffix("s") ? text.dropLast() : text[...])
            .split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Double($0) }.filter { $0 >= 0 && $0 < 1e9 }
        guard numbers.count == parts.count, numbers.count <= 3 else {
            throw ValidationError("'\(text)' is no time; write 12.5s or 1:02:03")
        }
        return numbers.reduce(0) { $0 * 60 + $1 }
    }
}

/// A local file that is no image, of which parts become images.
struct LocalDocument: Sendable {
    enum Kind: Sendable {
        case pdf, video
    }

    let path: String
    let kind: Kind

    /// The document at a path; nil for anything else.
    init?(_ path: String) {
        guard let file = try? InputFile(path: path, patience: 1), file.size != nil,
            let bytes = try? file.beginning(VideoInfo.beginningByteCount)
        else { return nil }
        self.path = path
        if bytes.starts(with: Data("%PDF-".utf8)) {
            kind = .pdf
        } else if VideoInfo.isBeginning(ofVideo: bytes) {
            kind = .video
        } else {
            return nil
        }
    }
}

extension PictureSource {
    /// The PDF document or video of a path; nil for anything else.
    var document: LocalDocument? { path.flatMap { LocalDocument($0) } }
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

/// The report of `kf info` for a video.
struct VideoReport: Report {
    let source: String
    let format = "video"
    let width: Int
    let height: Int
    /// In seconds.
    let duration: Double?
    let frameRate: Double?
    /// Clockwise degrees.
    let rotation: Int
    let codec: String
    let soundCodec: String?
    let bytes: Int?

    init(_ source: PictureSource, _ info: VideoInfo, byteCount: Int?) {
        self.source = source.text
        width = Int(info.size.width)
        height = Int(info.size.height)
        duration = info.duration
        frameRate = info.frameRate
        rotation = info.rotation
        codec = info.codec
        soundCodec = info.soundCodec
        bytes = byteCount
    }

    private enum CodingKeys: CodingKey {
        case source, format, width, height, duration, frameRate, rotation, codec, soundCodec, bytes
    }

    func summary() -> String {
        var parts = ["\(width) × \(height) pixels"]
        if let duration { parts.append(Self.time(duration)) }
        if let frameRate { parts.append("\(trimmed(frameRate)) frames a second") }
        if rotation != 0 { parts.append("turned by \(rotation)°") }
        parts.append(([codec] + (soundCodec.map { [$0] } ?? [])).joined(separator: " and "))
        if let bytes { parts.append(Readable.bytes(bytes)) }
        return """
            \(Terminal.line(source))
              video    \(parts.joined(separator: ", "))
            """
    }

    /// Seconds as `1:02:03`, with a tenth below a minute.
    static func time(_ seconds: Double) -> String {
        guard seconds >= 60 else { return trimmed((seconds * 10).rounded() / 10) + " s" }
        let whole = Int(min(seconds, 1e9))
        let minutes = String(format: "%d:%02d", whole / 60 % 60, whole % 60)
        return whole < 3600
            ? minutes : String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
    }
}
