public import Foundation

/// Provides bytes that are already in memory.
public struct RawImageDataProvider: ImageDataProvider {
    /// The bytes.
    public let data: Data

    /// The key under which the image is cached.
    public var cacheKey: String

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - data: The encoded bytes.
    ///   - cacheKey: The key under which the image is cached.
    public init(data: Data, cacheKey: String) {
        self.data = data
        self.cacheKey = cacheKey
    }

    /// Calls the closure before it returns.
    public func data(handler: @escaping (Result<Data, any Error>) -> Void) {
        handler(.success(data))
    }
}

/// Decodes a base64 text.
public struct Base64ImageDataProvider: ImageDataProvider {
    /// An error of decoding the text.
    public enum Base64ImageDataProviderError: Error, LocalizedError {
        /// The text is not valid base64.
        case invalidBase64

        /// The failure, as a sentence.
        public var errorDescription: String? {
            switch self {
            case .invalidBase64: "The text is not base64."
            }
        }
    }

    /// The encoded text.
    public let base64String: String

    /// The key under which the image is cached.
    public var cacheKey: String

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - base64String: The encoded text; characters outside the alphabet are ignored.
    ///   - cacheKey: The key under which the image is cached.
    public init(base64String: String, cacheKey: String) {
        self.base64String = base64String
        self.cacheKey = cacheKey
    }

    /// Decodes the text and calls the closure before it returns.
    ///
    /// Fails with ``Base64ImageDataProviderError/invalidBase64``.
    public func data(handler: (Result<Data, any Error>) -> Void) {
        guard let data = Data(base64Encoded: base64String, options: .ignoreUnknownCharacters),
            !data.isEmpty || base64String.isEmpty
        else {
            handler(.failure(Base64ImageDataProviderError.invalidBase64))
            return
        }
        handler(.success(data))
    }
}

/// Decodes a `data:` URL.
///
/// Source: RFC 2397. The media type is ignored, since the format is detected from the bytes.
public struct DataURLImageDataProvider: ImageDataProvider {
    /// An error of decoding the URL.
    public enum DataURLError: Error, LocalizedError {
        /// The URL does not begin with `data:`, or has no comma.
        case notADataURL
        /// The part after the comma is not valid base64 or percent-encoding.
        case invalidEncoding

        /// The failure, as a sentence.
        public var errorDescription: String? {
            switch self {
            case .notADataURL: "The URL is not a data URL: it needs “data:” and a comma."
            case .invalidEncoding: "The data URL is not valid base64 or percent-encoding."
            }
        }
    }

    /// The URL.
    public let url: URL

    /// The key under which the image is cached.
    public var cacheKey: String

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - url: The `data:` URL.
    ///   - cacheKey: Defaults to the text of the URL.
    public init(url: URL, cacheKey: String? = nil) {
        self.url = url
        self.cacheKey = cacheKey ?? url.absoluteString
    }

    /// Decodes the URL and calls the closure before it returns; fails with ``DataURLError``.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        handler(Result { try Self.decode(url.absoluteString) })
    }

    static func decode(_ text: String) throws(DataURLError) -> Data {
        guard text.lowercased().hasPrefix("data:"), let comma = text.firstIndex(of: ",") else {
            throw .notADataURL
        }
        let head = text[..<comma].lowercased()
        let body = try percentDecoded(text[text.index(after: comma)...].utf8)
        guard head.hasSuffix(";base64") else { return body }
        guard let data = Data(base64Encoded: body, options: .ignoreUnknownCharacters),
            !data.isEmpty || body.isEmpty
        else { throw .invalidEncoding }
        return data
    }

    private static func percentDecoded(
        _ text: Substring.UTF8View
    ) throws(DataURLError) -> Data {
        var bytes = Data()
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue,
                let low = rest.popFirst()?.hexadecimalValue
            else { throw .invalidEncoding }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
