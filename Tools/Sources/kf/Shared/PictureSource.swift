import ArgumentParser
import Foundation
@_spi(Programs) import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The source of an image as given on the command line.
struct PictureSource: Sendable {
    private enum Place: Sendable {
        case web(URL)
        case file(path: String)
        /// A decoded `data:` URL.
        case inline(Data)
        case standardInput
    }

    /// The text as given; the beginning of a `data:` URL, which may have megabytes.
    let text: String
    /// The folder of a file relative to the searched one; empty for other sources.
    private(set) var folder = ""
    private let place: Place

    /// Parses an http, https, file or `data:` URL, a path, or `-`.
    ///
    /// - Throws: A `ValidationError` for a URL of another kind.
    init(_ text: String) throws {
        place = try Self.place(text)
        self.text =
            switch place {
            case .inline: LibraryErrorText.shown(text)
            // In a sentence, a URL ends at a blank, and the rest of a password would be shown.
            case .web(let url) where text.hasEndOfURL: url.absoluteString
            case .web, .file, .standardInput: text
            }
    }

    /// A file by its path, even if that looks like a URL.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - folder: Its folder relative to the searched one.
    init(file path: String, folder: String = "") {
        text = path
        self.folder = folder
        place = .file(path: path)
    }

    private static func place(_ text: String) throws -> Place {
        if text == "-" { return .standardInput }
        guard let scheme = Self.scheme(of: text) else {
            guard !text.isEmpty else { throw ValidationError("the source is empty") }
            return .file(path: text)
        }
        switch scheme {
        case "http", "https":
            guard let url = URL(string: text), url.host?.isEmpty == false else {
                throw ValidationError("this is not a valid URL; it needs a host")
            }
            return .web(url)
        case "file":
            guard let url = URL(string: text), url.isFileURL, !url.path.isEmpty else {
                throw ValidationError("this is not a valid file URL")
            }
            return .file(path: url.path)
        case "data":
            return .inline(try DataURL.payload(of: text))
        default:
            throw ValidationError(
                "'\(scheme)' is not supported; give an http, https, file or data URL, a path, "
                    + "or - for standard input"
            )
        }
    }

    /// The text for messages: `data:` URLs shortened, without credentials and control characters.
    var title: String {
        if case .standardInput = place { return "standard input" }
        return LibraryErrorText.shown(text)
    }

    var isWeb: Bool {
        if case .web = place { true } else { false }
    }

    /// The URL of an http or https source.
    var webURL: URL? {
        if case .web(let url) = place { url } else { nil }
    }

    /// The path of a file.
    var path: String? {
        if case .file(let path) = place { path } else { nil }
    }

    /// Whether a load can be repeated and then served from a cache.
    var isCacheable: Bool {
        switch place {
        case .web: true
        case .file(let path): Self.isRegular(path)
        case .inline, .standardInput: false
        }
    }

    /// The library's source.
    ///
    /// Reads pipes and standard input to their ends.
    ///
    /// - Parameters:
    ///   - patience: The number of seconds that a pipe may be silent.
    ///   - isCached: Whether a cache may have the image of a file, which is read only if it does
    ///     not.
    /// - Returns: The source.
    /// - Throws: A ``Failure`` if the bytes cannot be read.
    func resolved(patience: Double, isCached: Bool) throws -> Source {
        switch place {
        case .web(let url):
            return .network(url)
        case .file where isCached:
            return .provider(FileProvider(source: self, cacheKey: try key(), patience: patience))
        case .file, .inline, .standardInput:
            let data = try bytes(patience: patience)
            return .provider(RawImageDataProvider(data: data, cacheKey: title))
        }
    }

    /// The key under which the image is cached.
    ///
    /// That of a file is the library's, with its date and size, so that a changed file is not served
    /// from the cache, and programs that use the library find it.
    ///
    /// - Throws: A ``Failure`` if the file does not exist.
    func key() throws -> String {
        switch place {
        case .web(let url): return url.absoluteString
        case .inline, .standardInput: return title
        case .file(let path):
            var status = stat()
            guard stat(path, &status) == 0 else {
                throw Failure.unreadable(path, code: errno)
            }
            return URL(fileURLWithPath: path).absoluteURL.cacheKey
        }
    }

    /// Reads the bytes of a local source.
    ///
    /// - Precondition: ``isWeb`` is false.
    /// - Throws: A ``Failure`` if they cannot be read.
    func bytes(patience: Double) throws -> Data {
        if case .inline(let data) = place { return data }
        return try opened(patience: patience).contents()
    }

    /// The header of the image and the number of bytes of the whole file, if it is known.
    ///
    /// - Precondition: ``isWeb`` is false.
    /// - Throws: A ``Failure`` if the bytes cannot be read, an `ImageFileInfo.Failure` if they have
    ///   no header.
    func info(patience: Double) throws -> (info: ImageFileInfo, byteCount: Int?) {
        if case .inline(let data) = place { return (try ImageFileInfo(data: data), data.count) }
        let file = try opened(patience: patience)
        let info = try file.info()
        return (info, file.byteCount)
    }

    /// What the metadata says about the photograph; nil without metadata that can be read.
    ///
    /// Of a pipe only its beginning is read.
    func photograph(patience: Double) -> ImageMetadata.Photograph? {
        // A failure has been reported with the header.
        guard case .file = place, let file = try? opened(patience: patience), file.size != nil,
            let bytes = try? file.contents()
        else { return nil }
        return try? ImageMetadata(of: bytes).photograph
    }

    private func opened(patience: Double) throws -> InputFile {
        switch place {
        case .web(let url): preconditionFailure("\(url) is not on this machine")
        case .file(let path): try InputFile(path: path, patience: patience)
        case .inline, .standardInput: try InputFile(standardInputPatience: patience)
        }
    }

    /// The scheme of a URL in lower case; nil for a path.
    private static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon]
        // No scheme in use has one letter, and only paths have slashes before a colon.
        let isScheme =
            scheme.count > 1 && scheme.first?.isLetter == true
            && scheme.allSatisfy {
                $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
            }
        guard isScheme else { return nil }
        let name = scheme.lowercased()
        let isURL = text[colon...].hasPrefix("://") || name == "data" || name == "file"
        return isURL ? name : nil
    }

    private static func isRegular(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }
}

/// Reads a file, within limits, only if no cache has its image.
private struct FileProvider: ImageDataProvider {
    let source: PictureSource
    let cacheKey: String
    let patience: Double

    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        DispatchQueue.global().async { handler(Result { try source.bytes(patience: patience) }) }
    }
}
