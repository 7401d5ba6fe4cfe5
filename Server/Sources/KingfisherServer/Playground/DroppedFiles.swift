import Foundation
import Hummingbird
import NIOCore
import NIOFoundationCompat
import Synchronization

/// The files that the playground's page sends for processing; nothing of them is kept.
final class DroppedFiles: Sendable {
    /// The most files at once, so that they do not fill the memory.
    static let maximalCount = 4
    /// The largest file in bytes, unless sources must be smaller.
    static let usualSize = 32 << 20

    private let maximalSize: Int
    private let count = Mutex(0)

    /// Makes the limits.
    ///
    /// - Parameter maximalSize: The largest source in bytes; nil for no limit of its own.
    init(maximalSize: Int?) { self.maximalSize = min(maximalSize ?? .max, Self.usualSize) }

    /// Receives the body of a request, and processes it.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - body: Processes the file.
    /// - Returns: The result of `body`.
    /// - Throws: ``ServiceError`` 413 for a file that is too large, 429 for too many at once; the
    ///   errors of `body`.
    func withFile<Result: Sendable>(
        of request: Request,
        _ body: (Data) async throws(ServiceError) -> Result
    ) async throws(ServiceError) -> Result {
        let isAdmitted = count.withLock { count in
            guard count < Self.maximalCount else { return false }
            count += 1
            return true
        }
        guard isAdmitted else {
            throw ServiceError(429, "Too many files are processed", "Try again in a second")
        }
        defer { count.withLock { $0 -= 1 } }
        return try await body(try await received(request))
    }

    private func received(_ request: Request) async throws(ServiceError) -> Data {
        let tooLarge = ServiceError(
            413,
            "The file has more than \(maximalSize) bytes",
            "Choose a smaller one"
        )
        let length = request.headers[.contentLength].flatMap { Int($0) } ?? 0
        guard length <= maximalSize else { throw tooLarge }
        do {
            return Data(buffer: try await request.body.collect(upTo: maximalSize))
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch {
            throw ServiceError(400, "The file did not arrive", "Send it again", detail: "\(error)")
        }
    }
}
