import Codecs
public import Dispatch
public import Foundation

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
