public import Foundation

/// The bytes of a base64 text.
public struct Base64ImageDataProvider: ImageDataProvider {
    /// What can be wrong with the text.
    public enum Base64ImageDataProviderError: Error, LocalizedError {
        /// The text is no base64.
        case invalidBase64

        /// What is wrong.
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
    public init(base64String: String, cacheKey: String) {
        self.base64String = base64String
        self.cacheKey = cacheKey
    }

    /// Decodes the text and calls back before it returns.
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
