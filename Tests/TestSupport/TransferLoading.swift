package import Foundation
package import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPTransport {
    /// Loads a URL and waits for the end.
    package func load(
        _ url: URL,
        settings: TransferSettings = .patient,
        recorder: TransferRecorder = TransferRecorder()
    ) async -> TransferRecorder.Outcome {
        _ = start(URLRequest(url: url), settings: settings, handler: recorder)
        return await recorder.outcome()
    }
}
