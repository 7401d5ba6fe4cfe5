import Foundation
import Kingfisher

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
