public import Foundation

/// Bytes that the caller has already.
public struct RawImageDataProvider: ImageDataProvider {
    /// The bytes.
    public let data: Data

    /// The key under which the image is cached.
    public var cacheKey: String

    /// Makes a provider.
    public init(data: Data, cacheKey: String) {
        self.data = data
        self.cacheKey = cacheKey
    }

    /// Calls back with the bytes before it returns.
    public func data(handler: @escaping (Result<Data, any Error>) -> Void) {
        handler(.success(data))
    }
}
