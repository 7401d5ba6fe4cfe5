import ArgumentParser
import Foundation
import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Where a picture is to come from, as it is written on the command line.
enum PictureSource: Sendable {
    case web(URL)
    case file(path: String)
    /// A `data:` URL, already taken apart.
    case inline(Data)
    case standardInput

    /// Reads an http, https, file or `data:` URL, a path, or `-`.
    ///
    /// - Throws: A `ValidationError` for a URL that cannot be one of these.
    init(_ text: String) throws {
        if text == "-" {
            self = .standardInput
            return
        }
        guard let scheme = Self.scheme(of: text) else {
            guard !text.isEmpty else { throw ValidationError("the source is empty") }
            self = .file(path: text)
            return
        }
        switch scheme {
        case "http", "https":
            guard let url = URL(string: text), url.host?.isEmpty == false else {
                throw ValidationError("'\(text)' is no usable URL; it needs a host")
            }
            self = .web(url)
        case "file":
            guard let url = URL(string: text), url.isFileURL, !url.path.isEmpty else {
                throw ValidationError("'\(text)' is no usable file URL")
            }
            self = .file(path: url.path)
        case "data":
            self = .inline(try Self.payload(of: text))
        default:
            throw ValidationError(
                "'\(scheme)' is not supported; give an http, https, file or data URL, a path, "
                    + "or - for standard input"
            )
        }
    }

    /// Whether what was loaded can be asked for again and be found in a cache.
    var isCacheable: Bool {
        switch self {
        case .web, .file: true
        case .inline, .standardInput: false
        }
    }

    /// What the library loads from; reads standard input to its end.
    func resolved() throws -> Source {
        switch self {
        case .web(let url):
            return .network(url)
        case .file(let path):
            let url = URL(fileURLWithPath: path)
            return .provider(
                LocalFileImageDataProvider(fileURL: url, cacheKey: try Self.cacheKey(of: url))
            )
        case .inline(let data):
            return .provider(RawImageDataProvider(data: data, cacheKey: "data:"))
        case .standardInput:
            return .provider(RawImageDataProvider(data: try Self.standardInput(), cacheKey: "-"))
        }
    }

    /// The bytes of what is on this machine; files are mapped, so that only what is looked at is
    /// read.
    ///
    /// - Precondition: This is no ``web(_:)``.
    func bytes() throws -> Data {
        switch self {
        case .web(let url):
            preconditionFailure("\(url) is not on this machine")
        case .file(let path):
            _ = try Self.status(ofFile: path)
            return try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
        case .inline(let data):
            return data
        case .standardInput:
            return try Self.standardInput()
        }
    }

    private static func standardInput() throws -> Data {
        try FileHandle.standardInput.readToEnd() ?? Data()
    }

    /// The scheme of a URL in lower case; nil for a path.
    private static func scheme(of text: String) -> String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let scheme = text[..<colon]
        // One letter is no scheme that anybody uses, and slashes come before colons in paths only.
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

    /// The bytes of a `data:` URL, RFC 2397.
    private static func payload(of text: String) throws -> Data {
        let rest = text.dropFirst("data:".count)
        guard let comma = rest.firstIndex(of: ",") else {
            throw ValidationError("the data URL has no comma before its data")
        }
        guard let plain = percentDecoded(rest[rest.index(after: comma)...].utf8) else {
            throw ValidationError("the data URL is not percent-encoded as it should be")
        }
        guard rest[..<comma].lowercased().hasSuffix(";base64") else { return plain }
        guard let data = Data(base64Encoded: plain, options: .ignoreUnknownCharacters) else {
            throw ValidationError("the data URL's data is no base64")
        }
        return data
    }

    /// The bytes that a percent-encoded text stands for, which need not be UTF-8; nil if a percent
    /// sign is not followed by two digits.
    private static func percentDecoded(_ text: Substring.UTF8View) -> Data? {
        var bytes = Data()
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    /// A key that changes with the file, so that a picture saved anew is not taken from the cache.
    private static func cacheKey(of url: URL) throws -> String {
        let status = try status(ofFile: url.path)
        let changed = "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        return "\(url.absoluteString)?changed=\(changed)&size=\(status.st_size)"
    }

    private static func status(ofFile path: String) throws -> stat {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw Failure("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw Failure("cannot read \(path): it is a folder")
        }
        return status
    }
}
