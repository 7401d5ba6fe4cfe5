import Foundation
import Synchronization

/// The images of a maker by the bytes they were made of, so that equal bytes with different names
/// are decoded once.
///
/// Signed URLs, mirrors and shards provide the same bytes under many names. A load joins the work
/// for the same bytes and request, or gets the image of an earlier load while a cache or a view
/// retains it; the table itself retains no image.
final class DecodedImages: Sendable {
    struct Key: Hashable, Sendable {
        let bytes: Fingerprint
        let request: DecodeRequest.Key
    }

    private struct Entry {
        weak var image: KFCrossPlatformImage?
        /// Makes the image.
        weak var job: Job<KFCrossPlatformImage>?

        var isUsed: Bool { image != nil || job != nil }
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The number of entries above which unused ones are removed.
        var limit = 64

        mutating func removeUnused() {
            entries = entries.filter { $0.value.isUsed }
            limit = max(64, 2 * entries.count)
        }
    }

    private let state = Mutex(State())

    /// The number of entries, including those of released images.
    var count: Int { state.withLock { $0.entries.count } }

    /// Returns the image of a key: an existing one, that of another job, or a new one.
    ///
    /// - Parameters:
    ///   - key: The bytes and the request.
    ///   - job: The job of the current task; later ones with the same key wait for it.
    ///   - make: Makes the image in the current task.
    /// - Returns: The image.
    /// - Throws: The error of the work, or `CancellationError`.
    func image(
        for key: Key,
        of job: Job<KFCrossPlatformImage>,
        make: () async throws -> KFCrossPlatformImage
    ) async throws -> KFCrossPlatformImage {
        while let known = find(key, orLet: job) {
            if let image = known.image { return image }
            do {
                if let other = known.job { return try await other.value(urgency: job.urgency) }
            } catch is Job<KFCrossPlatformImage>.Abandoned {}
        }
        let image = try await make()
        state.withLock { $0.entries[key]?.image = image }
        return image
    }

    /// Returns the image or the job that makes it; nil if `job` does from now on.
    private func find(_ key: Key, orLet job: Job<KFCrossPlatformImage>) -> Entry? {
        state.withLock { state in
            if let known = state.entries[key], known.image != nil || known.job?.isJoinable == true {
                return known
            }
            state.entries[key] = Entry(job: job)
            if state.entries.count > state.limit { state.removeUnused() }
            return nil
        }
    }
}
