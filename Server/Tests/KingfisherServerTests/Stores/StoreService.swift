import Foundation
import Synchronization

@testable import KingfisherServer

/// A service that reads stores.
enum StoreService {
    /// Asks a service for sources, and returns the statuses.
    static func statuses(
        of sources: [String],
        _ transport: AnsweringTransport,
        _ changeStores: @escaping @Sendable (inout ServiceConfiguration.Stores) -> Void
    ) async throws -> [Int] {
        let statuses = Mutex<[Int]>([])
        let change: (inout ServiceConfiguration) -> Void = { changeStores(&$0.stores) }
        try await TestService.run(change, transport: transport) { test async throws in
            for source in sources {
                let status = try await test.request(path(source, "w:5")).status
                statuses.withLock { $0.append(status) }
            }
        }
        return statuses.withLock { $0 }
    }
}
