import Foundation
import Synchronization

/// The cache files that loads wait for; each is read once for all of them.
final class EncodedImages: Sendable {
    /// Identifies the bytes of a cache entry.
    struct Key: Hashable, Sendable {
        let entry: CacheEntryName
        /// Changes whenever the entry is stored or removed.
        let version: UInt32
    }

    private struct Reference: Sendable {
        weak var image: EncodedImage?
    }

    private let references = Mutex<[Key: Reference]>([:])

    init() {}

    /// Shares the file of an entry.
    ///
    /// - Parameters:
    ///   - key: Identifies the bytes.
    ///   - read: Reads the bytes, blocking; called when the first image is made.
    /// - Returns: The file, which the callers retain.
    func image(for key: Key, read: @escaping EncodedImage.Read) -> EncodedImage {
        references.withLock { references in
            if let image = references[key]?.image { return image }
            let image = EncodedImage(read: read) { [weak self] in self?.removeEnded(key) }
            references[key] = Reference(image: image)
            return image
        }
    }

    private func removeEnded(_ key: Key) {
        let other = references.withLock { references in
            let other = references[key]?.image
            if other == nil { references[key] = nil }
            return other
        }
        // Released outside the lock, which its end takes.
        withExtendedLifetime(other) {}
    }
}
