import Foundation

extension ImageCache {
    /// Why memory has no image; nil if it has one.
    func memoryMissReason(
        key: String,
        options: KingfisherParsedOptionsInfo
    ) -> CacheMissReason? {
        let entry = CacheEntryName(key: key, options: options)
        return switch memoryStorage.store.finding(for: entry.memoryKey) {
        case .valid: nil
        case .expired(let ago): .expired(.seconds(ago))
        case .evicted: .evicted
        case .unknown: .neverStored
        }
    }

    /// Why the disk has no image; nil if it has one.
    ///
    /// - Complexity: O(entries) for an unknown key, to find it under other processors.
    func diskMissReason(
        key: String,
        options: KingfisherParsedOptionsInfo
    ) -> CacheMissReason? {
        let entry = CacheEntryName(key: key, options: options)
        switch diskStorage.store.finding(for: diskStorage.fileName(of: entry)) {
        case .valid: return nil
        case .expired(let ago): return .expired(.seconds(ago))
        case .evicted: return .evicted
        case .unknown: break
        }
        let key = key.withoutUsers
        let others = diskStorage.store.keys(withPrefix: key).compactMap { other -> String? in
            if other == key { return "" }
            return other.hasPrefix(key + "@") ? String(other.dropFirst(key.count + 1)) : nil
        }
        return others.isEmpty ? .neverStored : .otherProcessor(others)
    }
}
