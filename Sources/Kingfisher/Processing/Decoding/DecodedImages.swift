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

    private typealias Making = Job<KFCrossPlatformImage?>

    private struct Entry {
        weak var image: KFCrossPlatformImage?
        var job: Making?
        /// Differs from those of the earlier and later jobs of the key.
        var number: UInt64 = 0

        var isUsed: Bool { image != nil || job != nil }
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The number of entries above which unused ones are removed.
        var limit = 64
        var lastNumber: UInt64 = 0

        mutating func removeUnused() {
            entries = entries.filter { $0.value.isUsed }
            limit = max(64, 2 * entries.count)
        }
    }

    private let state = Mutex(State())

    /// The number of entries, including those of released images.
    var count: Int { state.withLock { $0.entries.count } }

    /// Returns the image of a key: an existing one, or that of the work for it, which is shared.
    ///
    /// - Parameters:
    ///   - key: The bytes and the request.
    ///   - lane: The lane of the current task.
    ///   - make: Makes the image in the current task; nil if the processor returns none.
    /// - Returns: The image; nil if the processor returns none.
    /// - Throws: The error of the work, or `CancellationError`.
    func image(
        for key: Key,
        in lane: Lane,
        make: @escaping @Sendable () async throws -> KFCrossPlatformImage?
    ) async throws -> KFCrossPlatformImage? {
        try await Making.value(urgency: lane.urgency, worksHere: true) { find(key, orMake: make) }
    }

    private func find(
        _ key: Key,
        orMake make: @escaping @Sendable () async throws -> KFCrossPlatformImage?
    ) -> Making {
        state.withLock { state in
            let known = state.entries[key]
            if let image = known?.image { return Making(image) }
            if let job = known?.job, job.isJoinable { return job }
            state.lastNumber += 1
            let number = state.lastNumber
            let job = Making { [self] _ in
                do {
                    let image = try await make()
                    end(number, key, image)
                    return image
                } catch {
                    end(number, key, nil)
                    throw error
                }
            }
            state.entries[key] = Entry(job: job, number: number)
            if state.entries.count > state.limit { state.removeUnused() }
            return job
        }
    }

    /// Replaces the job of a number by its image.
    private func end(_ number: UInt64, _ key: Key, _ image: KFCrossPlatformImage?) {
        state.withLock { state in
            guard state.entries[key]?.number == number else { return }
            state.entries[key] = image.map { Entry(image: $0) }
        }
    }
}
