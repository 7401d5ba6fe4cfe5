// Made from Sources/Kingfisher/Kingfisher.docc/ServerUse.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

struct RequestTimedOut: Error {}

/// The result of a load, within a time.
func within<Value: Sendable>(
    _ limit: Duration,
    _ load: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await load() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw RequestTimedOut()
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw RequestTimedOut() }
        return first
    }
}

func thumbnail(of url: URL, by manager: KingfisherManager) async throws -> RetrieveDataResult {
    try await within(.seconds(10)) {
        try await manager.retrieveData(
            with: .network(url),
            options: [.processor(DownsamplingImageProcessor(size: CGSize(width: 400, height: 400)))],
            as: .jpeg(quality: 0.8)
        )
    }
}
