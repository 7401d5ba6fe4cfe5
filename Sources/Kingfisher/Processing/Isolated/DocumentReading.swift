import Foundation
import KFCodecs
import KFPixels

/// Asks workers about documents.
struct DocumentReading: Sendable {
    let pool: WorkerPool

    /// - Parameters:
    ///   - preparations: What its workers prepare.
    ///   - pool: Nil for that of the program.
    /// - Throws: ``DocumentError/isolationFailed(_:)`` when the program has none.
    init(_ preparations: WorkerPreparations, _ pool: WorkerPool?) throws(DocumentError) {
        do throws(IsolationFailure) {
            self.pool =
                if let pool { pool } else { try ProcessIsolation.pool(preparing: preparations) }
        } catch {
            throw .isolationFailed(error)
        }
    }

    /// The image of an answer.
    func bitmap(of answer: DocumentAnswer) throws(DocumentError) -> Bitmap {
        guard case .image(let parcel) = answer else { throw Self.invalid("it has no image") }
        do throws(WireError) {
            let image = try IsolatedDecoding(pool: pool)
                .unpacked(parcel, of: Data(), .still(.default))
            if let bitmap = image.bitmap { return bitmap }
        } catch {
            throw Self.invalid(error.description)
        }
        throw Self.invalid("its image has no pixels")
    }

    /// The answer to a request; a fault is thrown.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - page: The page that was asked for, from 1, for errors.
    /// - Returns: The answer.
    /// - Throws: ``DocumentError``, `CancellationError`.
    func answer(to request: WorkerRequest, page: Int = 1) async throws -> DocumentAnswer {
        let answer = try await outcome(of: request)
        guard case .fault(let fault) = answer else { return answer }
        throw DocumentError(fault, page: page)
    }

    /// The answer to a request, which may be a fault.
    ///
    /// - Throws: ``DocumentError``, `CancellationError`.
    func outcome(of request: WorkerRequest) async throws -> DocumentAnswer {
        let message: WorkerMessage
        do {
            message = try await pool.answer(to: request)
        } catch let failure as WorkerFailure {
            throw DocumentError.isolationFailed(IsolationFailure(failure))
        }
        do throws(WireError) {
            return try DocumentAnswer(message)
        } catch {
            throw Self.invalid(error.description)
        }
    }

    static func invalid(_ detail: String) -> DocumentError {
        .isolationFailed(.invalidAnswer(detail))
    }
}
