public import Foundation

extension ImageOptimization {
    /// Writes a file of a stranger's again with fewer bytes, in a worker process.
    ///
    /// As ``optimized(_:keepsMetadata:)``; see ``ProcessIsolation``, whose limits hold. Ends early if
    /// the task is cancelled.
    ///
    /// - Parameters:
    ///   - data: A whole file.
    ///   - keepsMetadata: Whether Exif, XMP, IPTC, comments, texts and further images are kept.
    /// - Returns: The file; `data` itself if nothing was gained or removed.
    /// - Throws: ``Failure`` if the file is damaged or of another format, ``IsolationFailure`` if a
    ///   worker fails, `CancellationError`.
    public static func isolated(
        _ data: Data,
        keepsMetadata: Bool = true
    ) async throws -> Data {
        try await isolated(data, keepsMetadata: keepsMetadata, on: nil)
    }

    /// As above, with another pool than that of the program.
    static func isolated(
        _ data: Data,
        keepsMetadata: Bool = true,
        on pool: WorkerPool?
    ) async throws -> Data {
        let pool = if let pool { pool } else { try ProcessIsolation.pool(for: data) }
        do {
            let request = try IsolatedRequest.optimization(keepsMetadata: keepsMetadata)
                .message(for: data)
            switch try IsolatedAnswer(await pool.answer(to: request)) {
            case .file(let body):
                let file = try body.file(maxBytes: data.count)
                // A worker that was taken over could send a file of any other format.
                guard file.count < data.count, file.kf.imageFormat == data.kf.imageFormat else {
                    throw WireError("its file is none of these pixels")
                }
                return file
            case .nothing: return data
            case .reason(let reason?): throw Failure(reason: reason)
            default: throw WireError("it has no file")
            }
        } catch let failure as WorkerFailure {
            throw IsolationFailure(failure)
        } catch let error as WireError {
            throw IsolationFailure.invalidAnswer(error.description)
        }
    }
}
