import Foundation
import Kingfisher

extension ImageFileInfo {
    /// Reads the header of a file.
    ///
    /// - Parameters:
    ///   - data: A complete file.
    ///   - isolates: Whether C libraries read it in a worker process only.
    /// - Returns: The properties.
    /// - Throws: ``Failure``; `IsolationFailure` if a worker fails.
    static func read(_ data: Data, isolates: Bool) async throws -> ImageFileInfo {
        isolates ? try await isolated(data: data) : try ImageFileInfo(data: data)
    }
}
