public import Foundation
import Synchronization

/// Passes the disk error of a removal to `async` callers.
///
/// The overridable method reports completion without an error, so the error is passed as a
/// task-local value.
final class RemovalOutcome: Sendable {
    @TaskLocal static var current: RemovalOutcome?

    private let failure = Mutex<(any Error)?>(nil)

    /// Starts a removal, waits for its completion, and throws the disk error.
    static func of(_ remove: (_ done: @escaping @Sendable () -> Void) -> Void) async throws {
        let outcome = RemovalOutcome()
        let isReported = await OnceCompletion.result(ifReleased: false) { done in
            $current.withValue(outcome) { remove { done(true) } }
        }
        if let error = outcome.failure.withLock({ $0 }) { throw error }
        // A removal that may not have been made must not look like one that was.
        guard isReported else { throw CompletionReleased() }
    }

    func set(_ result: Result<(), DiskError>) {
        if case .failure(let error) = result { failure.withLock { $0 = error } }
    }
}

extension ImageCache {
    /// Removes an entry, and the bytes of an original that a program keeps in memory.
    func remove(
        _ key: String,
        _ identifier: String,
        _ forcedExtension: String?,
        fromMemory: Bool,
        fromDisk: Bool,
        completion: @escaping @Sendable () -> Void
    ) {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: forcedExtension)
        // An entry that is removed from memory alone is still stored by the loads that run.
        guard fromDisk else {
            return remove(entry, fromMemory: fromMemory, fromDisk: false, completion: completion)
        }
        removals.note(entry.computedKey)
        remove(entry, fromMemory: fromMemory, fromDisk: true, completion: completion)
        // Again, because work that began meanwhile may have read the file.
        removals.note(entry.computedKey)
    }

    /// Removes what a load has stored at the same time as its entry was removed.
    func undoStore(of entry: CacheEntryName) {
        remove(entry, fromMemory: true, fromDisk: true) {}
    }

    /// Removes an entry without a note for the loads that run: a load may remove its own entry, which is
    /// out of date, and store another one.
    func remove(
        _ entry: CacheEntryName,
        fromMemory: Bool,
        fromDisk: Bool,
        completion: @escaping @Sendable () -> Void
    ) {
        let forget = { [self] in
            guard fromMemory else { return }
            for key in entry.memoryKeys { memoryStorage.store.remove(key) }
        }
        forget()
        guard fromDisk else {
            completion()
            return
        }
        let outcome = RemovalOutcome.current
        let name = diskStorage.fileName(of: entry)
        // Queued after the stores that wait for the disk, and effective for lookups at once.
        let sharing = entry.isShareable ? sharing : nil
        sharing?.beginRemoval(of: entry)
        diskStorage.queue.enqueue(.removal, on: name) { result in
            sharing?.remove(entry)
            outcome?.set(result)
            completion()
        }
        // Again, because work that began meanwhile may have read the file.
        forget()
    }

    func clearDisk(
        on queue: CallbackQueue = .mainAsync,
        then handler: (@Sendable () -> Void)?
    ) {
        removals.noteAll()
        diskStorage.queue.enqueueRemovalOfAll { _ in
            // By contract errors are ignored, and the handler is always called.
            if let handler { queue.execute(handler) }
        }
        // Again, because work that began meanwhile may have read a file.
        removals.noteAll()
    }

    /// Cleans the disk.
    ///
    /// - Parameters:
    ///   - queue: Where the handler is called; on the main queue it comes after the notification.
    ///   - handler: Called when the disk is clean.
    func cleanDisk(
        on queue: CallbackQueue = .mainAsync,
        then handler: (@Sendable () -> Void)?
    ) {
        reader.submit(priority: 0) { [self] in
            // A failed cleaning has removed some files; the next one continues.
            let store = diskStorage.store
            let names = store.removeExpired().removed + store.trim().removed
            if !names.isEmpty {
                DispatchQueue.main.async { [self] in
                    NotificationCenter.default.post(
                        name: .KingfisherDidCleanDiskCache,
                        object: self,
                        userInfo: [KingfisherDiskCacheCleanedHashKey: names]
                    )
                }
            }
            if let handler { queue.execute(handler) }
        }
    }
}

extension Notification.Name {
    // swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
    /// Posted on the main queue after cleaning has removed files from a disk cache.
    ///
    /// The object is the cache; the user info has the removed file names under
    /// ``KingfisherDiskCacheCleanedHashKey``.
    public static let KingfisherDidCleanDiskCache = Notification.Name(
        "com.onevcat.Kingfisher.KingfisherDidCleanDiskCache"
    )
}

// swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
/// The user info key of the removed file names, a `[String]`.
public let KingfisherDiskCacheCleanedHashKey = "com.onevcat.Kingfisher.cleanedHash"
