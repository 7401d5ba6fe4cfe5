public import Dispatch
public import Foundation
import KFCodecs

/// Supplies the encoded bytes of an image.
///
/// Implement one of the two overloads of `data`. Each has a default that calls the other; both fail
/// with ``DataProviderFault/noData`` for a type that implements neither.
public protocol ImageDataProvider: Sendable {
    /// The key under which the image is cached.
    var cacheKey: String { get }

    /// Returns the bytes.
    ///
    /// Implementations should respect the cancellation of the calling task.
    ///
    /// - Returns: The encoded bytes.
    /// - Throws: Any error; the load reports it in
    ///   ``KingfisherError/ImageSettingErrorReason/dataProviderError(provider:error:)``.
    func data() async throws -> Data

    /// Passes the bytes to a closure, which must be called exactly once.
    ///
    /// Releasing the closure without a call fails with ``DataProviderFault/handlerReleased``.
    func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void)

    /// The URL of the content, if there is one.
    var contentURL: URL? { get }
}

extension ImageDataProvider {
    /// Calls the overload with a closure; its second and later results are ignored.
    ///
    /// - Returns: The encoded bytes.
    /// - Throws: The error that the closure receives, or ``DataProviderFault``.
    public func data() async throws -> Data {
        try await DefaultedProvider.$current.withValue(ObjectIdentifier(Self.self)) {
            try await withCheckedThrowingContinuation { continuation in
                let once = OnceCompletion<Result<Data, any Error>>(
                    ifReleased: { .failure(DataProviderFault.handlerReleased) }
                ) { continuation.resume(with: $0) }
                data { once($0) }
            }
        }
    }

    /// Calls the asynchronous overload in a new task.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        // Called by the default of the other overload: this type implements neither.
        guard DefaultedProvider.current != ObjectIdentifier(Self.self) else {
            return handler(.failure(DataProviderFault.noData))
        }
        callBack(handler)
    }

    /// Calls the asynchronous overload in a new task.
    func callBack(_ handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        Task {
            do {
                handler(.success(try await data()))
            } catch {
                handler(.failure(error))
            }
        }
    }

    /// Nil by default.
    public var contentURL: URL? { nil }

    /// The provider as a source.
    public func convertToSource() -> Source { .provider(self) }
}

/// A mistake of an ``ImageDataProvider``.
public enum DataProviderFault: String, Error, LocalizedError {
    /// It implements neither overload of `data`.
    case noData = "The data provider implements neither overload of data."
    /// It released its closure without calling it.
    case handlerReleased = "The data provider released its handler without calling it."

    /// The mistake, as a sentence.
    public var errorDescription: String? { rawValue }
}

/// The type whose asynchronous overload of `data` is the default and calls the other overload.
///
/// Task-local, because the provider stands between the two defaults.
private enum DefaultedProvider {
    @TaskLocal static var current: ObjectIdentifier?
}

/// Reads the bytes of a file.
public struct LocalFileImageDataProvider: ImageDataProvider {
    /// The file.
    public let fileURL: URL

    /// The key under which the image is cached.
    public var cacheKey: String

    private let loadingQueue: ExecutionQueue

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - fileURL: The file.
    ///   - cacheKey: Defaults to the URL's own key.
    ///   - loadingQueue: The queue on which the file is read.
    public init(
        fileURL: URL,
        cacheKey: String? = nil,
        loadingQueue: ExecutionQueue = .dispatch(DispatchQueue.global(qos: .userInitiated))
    ) {
        self.fileURL = fileURL
        self.cacheKey = cacheKey ?? fileURL.localFileCacheKey
        self.loadingQueue = loadingQueue
    }

    /// Reads the file on the loading queue.
    ///
    /// Fails with ``LocalFileError``, or with `CocoaError` if the file cannot be opened or read.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        let fileURL = fileURL
        loadingQueue.execute {
            handler(Result { try Self.bytes(of: fileURL) })
        }
    }

    /// The bytes, read on the loading queue; throws the errors of ``data(handler:)``.
    public var data: Data {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                data { continuation.resume(with: $0) }
            }
        }
    }

    /// The file's URL.
    public var contentURL: URL? { fileURL }

    /// The bytes of a regular file no larger than the maximum input of the decoders.
    static func bytes(of file: URL) throws -> Data {
        try RegularFile.read(file.path, maxBytes: DecodeLimits.default.maxInputBytes)
    }
}
