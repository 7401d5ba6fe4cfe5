public import Foundation
import KFCodecs

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
                return try promised(file, keepsMetadata)
            case .nothing: return try promised(data, keepsMetadata)
            case .reason(let reason?): throw Failure(reason: reason)
            default: throw WireError("it has no file")
            }
        } catch let failure as WorkerFailure {
            throw IsolationFailure(failure)
        } catch let error as WireError {
            throw IsolationFailure.invalidAnswer(error.description)
        }
    }

    /// The file, without metadata unless it is kept.
    ///
    /// A worker that was taken over could leave it in, so that this process removes it again.
    private static func promised(_ file: Data, _ keepsMetadata: Bool) throws(Failure) -> Data {
        guard !keepsMetadata else { return file }
        do throws(CodecError) {
            return try MetadataRemoval.reduced(file, to: [])
        } catch {
            throw Failure(reason: "\(error)")
        }
    }
}
