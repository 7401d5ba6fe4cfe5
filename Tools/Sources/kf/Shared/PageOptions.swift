import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

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

    @OptionGroup var password: PasswordOptions

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
    ///   - steps: The steps for the image; a worker shrinks a frame that they make much smaller.
    ///   - clip: A part of a video instead of a frame.
    ///   - format: The format of a part of a video that is written as it is; nil for another one.
    /// - Returns: The provider.
    /// - Throws: A ``Failure`` if the password cannot be read.
    func provider(
        for document: LocalDocument,
        before steps: [ProcessorSpec] = [],
        clip: VideoClip? = nil,
        as format: PictureFormat? = nil
    ) throws -> any ImageDataProvider {
        let url = URL(fileURLWithPath: document.path)
        return switch document.kind {
        case .pdf:
            PDFPageDataProvider(
                url: url,
                page: page ?? 1,
                dpi: dpi,
                password: try password.text()
            )
        case .video: frame(of: url, fitting: steps.first?.sufficientSize, clip: clip, as: format)
        }
    }

    /// Whether a source has to be a video: one on a server is not looked at before.
    var asksForFrame: Bool { at != nil || cover }

    /// The frame or the part of a video.
    func frame(
        of url: URL,
        fitting size: CGSize? = nil,
        clip: VideoClip? = nil,
        as format: PictureFormat? = nil
    ) -> VideoFrameDataProvider {
        let position: VideoFramePosition =
            if let clip {
                .clip(
                    from: clip.from,
                    to: clip.to,
                    framesPerSecond: clip.framesPerSecond,
                    format: format?.imageFormat ?? .WebP
                )
            } else {
                at.map { .exact($0) } ?? .representative
            }
        var provider = VideoFrameDataProvider(
            url: url,
            at: position,
            maximumSize: size,
            prefersCover: cover
        )
        provider.requiresTime = at != nil
        return provider
    }

    /// Refuses options that the source does not have.
    ///
    /// - Parameters:
    ///   - kind: The kind of the source; nil for an image.
    ///   - source: Its title.
    ///   - clip: The part of a video that is asked for.
    /// - Throws: ``Failure``.
    func check(_ kind: LocalDocument.Kind?, of source: String, clip: VideoClip? = nil) throws {
        for (needed, name) in names(clip) where kind != needed {
            throw Failure("\(name) is for \(needed.plural), and \(source) is none")
        }
    }

    /// Says which options none of several files has a use for.
    func noteUnused(by files: [String], clip: VideoClip?) {
        for (needed, name) in names(clip) { needed.noteUnused(name, by: files) }
    }

    /// The options that are given, by the kind of source that they are for.
    private func names(_ clip: VideoClip?) -> [(LocalDocument.Kind, String)] {
        let documents = page != nil ? "--page" : dpi != nil ? "--dpi" : password.name
        let videos = at != nil ? "--at" : cover ? "--cover" : clip != nil ? "--from" : nil
        return [documents.map { (.pdf, $0) }, videos.map { (.video, $0) }].compactMap(\.self)
    }

    /// The seconds of `12.5`, `12.5s`, `1:02` or `1:02:03.5`.
    static func seconds(_ text: String) throws -> TimeInterval {
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

        fileprivate var plural: String { self == .pdf ? "PDF documents" : "videos" }

        /// Says that an option is for files of this kind, unless one of the files is.
        func noteUnused(_ option: String, by files: [String]) {
            guard !files.contains(where: { LocalDocument($0)?.kind == self }) else { return }
            Terminal.note("kf: \(option) is for \(plural), and no input is one")
        }
    }

    let path: String
    let kind: Kind
    /// In bytes.
    let size: Int

    /// The document at a path; nil for anything else.
    init?(_ path: String) {
        guard let file = InputFile.regular(at: path), let size = file.size,
            let bytes = try? file.beginning(VideoInfo.beginningByteCount)
        else { return nil }
        self.path = path
        self.size = size
        if PDFDocumentInfo.isBeginning(ofDocument: bytes) {
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
