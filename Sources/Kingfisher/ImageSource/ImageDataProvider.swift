public import Foundation

/// Supplies the encoded bytes of an image.
///
/// Implement one of the two flavours of `data`; each has a default that calls the other, so a type
/// that implements neither would call itself for ever.
public protocol ImageDataProvider: Sendable {
    /// The key under which the image is cached.
    var cacheKey: String { get }

    /// Gives the bytes; should honour the cancellation of the task it runs in.
    func data() async throws -> Data

    /// Gives the bytes to a closure, which must be called exactly once.
    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void)

    /// The URL of the content, if there is one.
    var contentURL: URL? { get }
}

extension ImageDataProvider {
    /// Calls the closure flavour; a second answer of it is ignored.
    public func data() async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            let once = OnceCompletion<Result<Data, any Error>> { continuation.resume(with: $0) }
            data { once($0) }
        }
    }

    /// Runs the asynchronous flavour in a task.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        Task {
            do {
                handler(.success(try await data()))
            } catch {
                handler(.failure(error))
            }
        }
    }

    /// Nil.
    public var contentURL: URL? { nil }

    /// The provider as a source.
    public func convertToSource() -> Source { .provider(self) }
}
