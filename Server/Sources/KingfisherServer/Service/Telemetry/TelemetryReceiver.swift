import Foundation
import Kingfisher
import Logging
import Synchronization

/// A server that takes telemetry.
///
/// The log says when it begins to refuse and when that is over, not each time.
struct TelemetryReceiver: ~Copyable, Sendable {
    private let name: String
    private let client: TrustedClient
    private let logger: Logger
    private let isFailing = Atomic(false)

    init(_ name: String, _ transport: any HTTPTransport, _ logger: Logger) {
        (self.name, self.logger) = (name, logger)
        client = TrustedClient(transport: transport, timeout: .seconds(10))
    }

    /// Sends a body by POST, and returns whether it was taken.
    func send(_ body: Data, to address: String, _ fields: [HeaderField]) async -> Bool {
        do {
            _ = try await client.send(address, method: "POST", fields, body: body)
        } catch {
            if !isFailing.exchange(true, ordering: .relaxed) {
                let detail = (error as? ServiceError)?.detail ?? "\(error)"
                logger.warning("\(name) takes no data", metadata: ["detail": "\(detail)"])
            }
            return false
        }
        if isFailing.exchange(false, ordering: .relaxed) {
            logger.notice("\(name) takes data again")
        }
        return true
    }
}
