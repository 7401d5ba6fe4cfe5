import Foundation

/// A subclass has released a completion handler without calling it.
struct CompletionReleased: Error, LocalizedError {
    var errorDescription: String? {
        "The subclass of the cache released its completion handler without calling it."
    }
}

/// Waiting for methods that a subclass may override.
///
/// An override may call its completion twice, or never. The first would end the program, the second
/// would keep a load waiting forever.
extension ImageCache {
    /// Waits for a method that reports only its end.
    func ending(_ start: (_ done: @escaping @Sendable () -> Void) -> Void) async {
        await OnceCompletion.result(ifReleased: ()) { done in start { done(()) } }
    }

    /// Waits for a store, and throws the disk's error.
    func storing(
        _ entry: CacheEntryName,
        _ store: (_ done: @escaping @Sendable (CacheStoreResult) -> Void) -> Void
    ) async throws {
        let result = await OnceCompletion.result(ifReleased: self.unreported(entry), of: store)
        try result.diskCacheResult.get()
    }

    /// The result of a store whose completion was released: it may not have been made.
    func unreported(_ entry: CacheEntryName) -> CacheStoreResult {
        let reason = KingfisherError.CacheErrorReason.cannotCreateCacheFile(
            fileURL: diskStorage.fileURL(of: entry),
            key: entry.computedKey,
            data: Data(),
            error: CompletionReleased()
        )
        return CacheStoreResult(
            memoryCacheResult: .success(()),
            diskCacheResult: .failure(.cacheError(reason: reason))
        )
    }

    /// The total size of the files that a subclass reports.
    func overriddenDiskSize() async throws -> UInt {
        let reason = KingfisherError.CacheErrorReason.cannotLoadDataFromDisk(
            url: diskStorage.directoryURL,
            error: CompletionReleased()
        )
        return try await OnceCompletion.result(ifReleased: .failure(.cacheError(reason: reason))) {
            calculateDiskStorageSize(completion: $0)
        }.get()
    }
}
