import Foundation

/// Stores an image: in memory now, on disk asynchronously.
struct StoreStage {
    let request: LoadRequest
    /// The record of the response, if it may be stored.
    var record: HTTPRecord?

    /// Returns when the image is in memory; with `waitForCache`, when it is on disk too.
    ///
    /// Neither an image whose file ended early nor that file is stored.
    ///
    /// A failed store is logged and never fails the load.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits for the disk; the image
    ///   is stored nevertheless.
    func run(_ loaded: LoadedImage) async throws {
        // The server may have all of the file later.
        guard !loaded.image.kf.isTruncated else {
            loaded.token?.leave()
            return
        }
        let original = loaded.isMadeOfOriginal ? nil : loaded.data
        let waits = request.options.waitForCache
        await withTaskGroup { group in
            let image = Gate()
            storeImage(loaded, gate: image)
            // Later loads find the image in memory, and the original among the pending entries.
            defer { loaded.token?.leave() }
            if waits { group.addTask { await image.waitUntilCancelled() } }
            guard request.storesOriginal, let original else { return }
            let stored = Gate()
            storeOriginal(original, gate: stored)
            if waits { group.addTask { await stored.waitUntilCancelled() } }
        }
        if waits { try Task.checkCancellation() }
    }

    private func storeImage(_ loaded: LoadedImage, gate: Gate) {
        request.targetCache.store(request.entry, since: request.removals.image, gate) {
            request.targetCache.put(
                loaded.image,
                loaded.data,
                key: request.key,
                as: request.entry,
                record,
                options: storeOptions(for: loaded),
                toDisk: !request.options.cacheMemoryOnly
            ) { [request] in
                // Retains the lease until the image can be sent to other machines.
                Self.report($0, "The image", request.key)
                gate.open()
            }
        }
    }

    private func storeOriginal(_ data: Data, gate: Gate) {
        let mark = request.removals.original
        request.originalCache.store(request.originalEntry, since: mark, gate) {
            request.originalCache.put(
                data,
                key: request.key,
                DefaultImageProcessor.default.identifier,
                as: request.originalEntry,
                record,
                expiration: request.options.diskCacheExpiration
            ) { [request] in
                Self.report($0, "The original", request.key)
                gate.open()
            }
        }
    }

    /// The load has its image, so a failed store is only logged.
    private static func report(_ result: CacheStoreResult, _ what: String, _ key: String) {
        guard case .failure(let error) = result.diskCacheResult else { return }
        Log.warning("\(what) was not stored on disk: \(error.localizedDescription)", key: key)
    }

    private func storeOptions(for loaded: LoadedImage) -> KingfisherParsedOptionsInfo {
        guard loaded.isDecodedFromData, request.identifier.isEmpty,
            let serializer = OriginalBytesSerializer(request.options)
        else { return request.options }
        var options = request.options
        options.cacheSerializer = serializer
        return options
    }
}
