import Foundation
import Synchronization

/// The disk's error of a removal, for `async` callers.
///
/// The method that a subclass may override reports an end and no error; this carries the error
/// past it.
final class RemovalOutcome: Sendable {
    @TaskLocal static var current: RemovalOutcome?

    private let failure = Mutex<(any Error)?>(nil)

    /// Starts a removal, waits for its end, and throws the disk's error.
    static func of(_ remove: (_ done: @escaping @Sendable () -> Void) -> Void) async throws {
        let outcome = RemovalOutcome()
        await withCheckedContinuation { continuation in
            $current.withValue(outcome) { remove { continuation.resume() } }
        }
        if let error = outcome.failure.withLock({ $0 }) { throw error }
    }

    func set(_ result: Result<(), DiskError>) {
        if case .failure(let error) = result { failure.withLock { $0 = error } }
    }
}

extension ImageCache {
    /// Removes an entry.
    func remove(
        _ entry: CacheEntryName,
        fromMemory: Bool,
        fromDisk: Bool,
        completion: @escaping @Sendable () -> Void
    ) {
        if fromMemory { memoryStorage.store.remove(entry.memoryKey) }
        guard fromDisk else {
            completion()
            return
        }
        let outcome = RemovalOutcome.current
        let name = diskStorage.fileName(of: entry)
        diskStorage.queue.enqueue(.removal, on: name) { result in
            outcome?.set(result)
            completion()
        }
    }

    func clearDisk(then handler: (@Sendable () -> Void)?) {
        diskStorage.queue.enqueueAlone { [diskStorage] in
            // The contract of this method: what cannot be removed stays, and the handler is called.
            try? diskStorage.removeAll()
            if let handler { DispatchQueue.main.async(execute: handler) }
        }
    }

    func cleanDisk(then handler: (@Sendable () -> Void)?) {
        reader.submit(priority: 0) { [self] in
            // Cleaning that fails half way has removed what it could, and the rest goes next time.
            let expired = (try? diskStorage.removeExpiredValues()) ?? []
            let trimmed = (try? diskStorage.removeSizeExceededValues()) ?? []
            let names = (expired + trimmed).map(\.lastPathComponent)
            DispatchQueue.main.async { [self] in
                if !names.isEmpty {
                    NotificationCenter.default.post(
                        name: .KingfisherDidCleanDiskCache,
                        object: self,
                        userInfo: [KingfisherDiskCacheCleanedHashKey: names]
                    )
                }
                handler?()
            }
        }
    }
}
