import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Applies the rules of HTTP caching to a cached image: use it, revalidate it, or load it again.
///
/// ``HTTPFreshnessPolicy`` implements the rules themselves.
struct HTTPCachingStage {
    /// The next step of a load.
    enum Step {
        case deliver(LoadedImage)
        /// Deliver the image, and revalidate it in the background with this request.
        case deliverAndRefresh(LoadedImage, Decision, LoadRequest)
        /// Send this request; it may confirm the cached image.
        case fetch(Decision?, LoadRequest)
    }

    /// The request of the load, for the variant of the image that it selects.
    var request: LoadRequest
    private let isVariant: Bool
    /// The request of the load before redirects.
    ///
    /// Nil if its modifier fails, which is reported when the request is sent.
    private let sent: URLRequest?
    private let time = Date()

    /// Makes the stage of a load with HTTP caching; nil if the bytes do not come from our own
    /// transfer.
    init?(_ request: LoadRequest, _ task: DownloadTask) async throws {
        guard !request.downloader.isOverridden, case .network(let resource) = request.source
        else { return nil }
        let (downloader, options) = (request.downloader, request.options)
        let sent = try? await downloader.request(for: resource.downloadURL, options: options)
        let variant = try await request.variant(task) { downloader.fieldSent($0, with: sent) }
        self.sent = sent
        self.request = variant ?? request
        isVariant = variant != nil
    }

    var cache: ImageCache { request.targetCache }
    var control: CacheControl { CacheControl(ofRequest: field) }

    /// The value of a field in the load's request.
    private func field(_ name: String) -> String? {
        request.downloader.fieldSent(name, with: sent)
    }

    // MARK: Before the request

    /// Decides how a load continues.
    ///
    /// - Parameters:
    ///   - hit: The image found in the caches, if any.
    ///   - task: The task of the load.
    /// - Returns: The next step; a request to send may be conditional.
    /// - Throws: The error of a recent response that there is no image, or of a load that must not
    ///   use the network and has no image for its request.
    func step(for hit: LoadedImage?, _ task: DownloadTask) async throws -> Step {
        if request.options.onlyFromCache, request.looksUp, let hit {
            return .deliver(try offline(hit))
        }
        guard let decision = decision(hit) else {
            if request.looksUp, hit == nil { try await checkAbsence(task) }
            return try fetch(nil)
        }
        switch decision.policy.step {
        case .use: return .deliver(decision.hit.with(.fresh))
        case .useStale: return .deliver(decision.hit.with(.stale))
        case .useAndRevalidate where !control.isOnlyIfCached:
            return .deliverAndRefresh(
                decision.hit.with(.stale),
                decision,
                asking(decision.policy)
            )
        case .useAndRevalidate, .revalidate: return try fetch(decision)
        }
    }

    private func decision(_ hit: LoadedImage?) -> Decision? {
        guard let hit, let metadata = hit.metadata else { return nil }
        let (cache, entry) = place(of: hit)
        guard let record = cache.record(metadata, of: entry), !record.isNegative else { return nil }
        var known = hit
        let current = current(record)
        known.response = current.answer.response(at: time)
        return Decision(known, metadata, current, policy(current), stored: record)
    }

    /// The record of the image as if its URL were that of this load, which may differ in its
    /// signature.
    private func current(_ record: HTTPRecord) -> HTTPRecord {
        guard let rule = request.options.cacheKeyRule, let url = sent?.url,
            !record.first.isSameResource(as: url), rule.key(for: record.first) == rule.key(for: url)
        else { return record }
        return record.asked(at: url)
    }

    /// The cache and the entry of the image, or of the original it was made from.
    private func place(of hit: LoadedImage) -> (ImageCache, CacheEntryName) {
        hit.isMadeOfOriginal
            ? (request.originalCache, request.originalEntry) : (cache, request.entry)
    }

    /// The metadata of an image, or of an original, found in memory.
    func metadata(of image: KFCrossPlatformImage, isOriginal: Bool = false) -> EntryMetadata? {
        isOriginal
            ? request.originalCache.metadata(of: image, request.originalEntry)
            : cache.metadata(of: image, request.entry)
    }

    /// The record of an original; an image made from it gets the same record.
    func recordOfOriginal(_ metadata: EntryMetadata?) -> HTTPRecord? {
        metadata.flatMap { request.originalCache.record($0, of: request.originalEntry) }
    }

    private func policy(_ record: HTTPRecord) -> HTTPFreshnessPolicy {
        HTTPFreshnessPolicy(record, now: time, requestField: field)
    }

    /// Throws the error of a previous response that there is no image, if it is still fresh.
    private func checkAbsence(_ task: DownloadTask) async throws {
        task.attachLookup(for: request.source)
        let record = try await cache.absence(of: request.absentEntry)
        guard let record, policy(record).step == .use else { return }
        throw KingfisherError.responseError(
            reason: .invalidHTTPStatusCode(
                response: record.answer.response(at: time).httpURLResponse
            )
        )
    }

    private func fetch(_ decision: Decision?) throws -> Step {
        guard !control.isOnlyIfCached else {
            throw KingfisherError.cacheError(reason: .imageNotExisting(key: request.key))
        }
        return .fetch(decision, decision.map { asking($0.policy) } ?? unconditional())
    }

    /// A request for the image without a condition.
    func unconditional(after conditional: ConditionalRequest? = nil) -> LoadRequest {
        request.with((conditional ?? ConditionalRequest()).unconditional(sent))
    }

    /// A conditional request for an image, starting with the first URL that must be asked.
    private func asking(_ policy: HTTPFreshnessPolicy) -> LoadRequest {
        var conditional = ConditionalRequest(request: sent)
        conditional.condition = policy.condition
        // A redirect handler must be called for every redirect.
        guard request.options.redirectHandler == nil, var next = sent else {
            conditional.condition?.endsAtRedirect = false
            return request.with(conditional)
        }
        let rules = RedirectRules(settings: request.downloader.settings(for: next, request.options))
        for (redirect, target) in policy.freshRedirects {
            guard let url = next.url, url.isSameResource(as: redirect.url),
                let following = try? rules.redirected(
                    next,
                    to: target,
                    from: url,
                    status: redirect.statusCode
                )
            else { break }
            next = following
            conditional.known.append(redirect)
        }
        conditional.request = next
        conditional.asked = sent?.url
        return request.with(conditional)
    }

    /// A hit if the network must not be used.
    ///
    /// - Throws: ``KingfisherError`` if it is not the image of this request.
    private func offline(_ hit: LoadedImage) throws -> LoadedImage {
        guard let decision = decision(hit) else { return hit.with(.stale) }
        guard decision.policy.isSelected else {
            throw KingfisherError.cacheError(reason: .imageNotExisting(key: request.key))
        }
        return decision.hit.with(decision.policy.step == .use ? .fresh : .stale)
    }

    /// Whether the caller should revalidate in the background; false while another load does.
    func beginRefresh(_ decision: Decision) -> Bool {
        let (cache, entry) = place(of: decision.hit)
        return cache.beginRefresh(of: entry, decision.metadata, with: decision.stored)
    }

    func endRefresh(_ decision: Decision) {
        let (cache, entry) = place(of: decision.hit)
        cache.endRefresh(of: entry)
    }

    // MARK: After the response

    /// The meaning of a response for the cached image.
    enum Revalidation {
        /// The image is confirmed.
        case confirmed(LoadedImage)
        /// The response is about another version: request again without a condition.
        case unusable
        /// The response contains a new image.
        case new
    }

    /// Evaluates the response to a request of ``step(for:)``.
    func revalidation(
        _ fetched: Material,
        about decision: Decision?,
        _ conditional: ConditionalRequest?
    ) -> Revalidation {
        guard case .fetched(let fetched) = fetched, let response = fetched.response,
            let conditional, conditional.condition?.isConfirmed(by: response) == true
        else { return .new }
        guard let decision else { return .unusable }
        let redirects = conditional.chain.steps?.redirects ?? []
        guard response.statusCode == 304 else {
            let record = decision.record.reached(
                known: conditional.known,
                redirects: redirects + [response],
                time: time,
                requestField: field
            )
            replace(decision, by: record)
            return .confirmed(decision.hit.with(.fresh, metrics: fetched.metrics))
        }
        guard decision.record.answer.isConfirmed(by: response) else { return .unusable }
        let record =
            control.isNoStore
            ? decision.record
            : decision.record.confirmed(
                known: conditional.known,
                redirects: redirects,
                by: response,
                time: time,
                requestField: field
            )
        if let record { replace(decision, by: record) } else { removeImage() }
        var result = decision.hit.with(.revalidated, metrics: fetched.metrics)
        result.response = (record ?? decision.record).answer.response(at: time)
        return .confirmed(result)
    }

    private func replace(_ decision: Decision, by record: HTTPRecord) {
        let (cache, entry) = place(of: decision.hit)
        cache.replace(decision.metadata, by: record, of: entry)
        // The image that was just made from the original.
        if decision.hit.isMadeOfOriginal, let made = metadata(of: decision.hit.image) {
            self.cache.replace(made, by: record, of: request.entry)
        }
    }

    /// The request for storing a new image, with the stage that stores it; nil if it must not be
    /// stored.
    func storing(
        _ fetched: Material,
        about decision: Decision?,
        _ conditional: ConditionalRequest?
    ) -> (request: LoadRequest, store: StoreStage?) {
        guard case .fetched(let fetched) = fetched, let response = fetched.response else {
            return (request, StoreStage(request: request))
        }
        let received = CacheControl(
            response.values(for: "Cache-Control"),
            isShared: cache.httpCachingRules.isShared,
            isAuthorized: field("Authorization") != nil
        )
        let isNoStore = received.isNoStore || received.isPrivate
        let record = record(response, conditional)
        guard !control.isNoStore, record != nil || !isNoStore else {
            removeImage()
            return (request, nil)
        }
        let target = record.flatMap { entry(of: $0, beside: decision) } ?? request
        return (target, StoreStage(request: target, record: record))
    }

    /// The request for a separate entry, if the image is a variant of one that is kept.
    private func entry(of record: HTTPRecord, beside decision: Decision?) -> LoadRequest? {
        guard let decision, !isVariant, !decision.hit.isMadeOfOriginal,
            let (first, number) = decision.record.adding(record, requestField: field)
        else { return nil }
        cache.replace(decision.metadata, by: first, of: request.entry)
        return request.with(variant: number)
    }

    func record(
        _ response: TransferResponse,
        _ conditional: ConditionalRequest?
    ) -> HTTPRecord? {
        HTTPRecord(
            known: conditional?.known ?? [],
            redirects: conditional?.chain.steps?.redirects ?? [],
            response,
            time: time,
            rules: cache.httpCachingRules,
            requestField: field
        )
    }

    /// Removes an image that was replaced by a response, and its original.
    func removeImage() {
        remove(request.entry, from: cache, request.identifier)
        guard request.hasSeparateOriginal else { return }
        remove(request.originalEntry, from: request.originalCache, "")
    }

    private func remove(_ entry: CacheEntryName, from cache: ImageCache, _ identifier: String) {
        guard cache.isSubclassed else {
            return cache.remove(entry, fromMemory: true, fromDisk: true) {}
        }
        cache.removeImage(
            forKey: request.key,
            processorIdentifier: identifier,
            forcedExtension: entry.forcedExtension
        )
    }
}

extension LoadRequest {
    /// The request for the variant selected by the load's fields; nil for the first variant.
    ///
    /// Variants are used only while the first one exists, so that removing an image removes them.
    fileprivate func variant(
        _ task: DownloadTask,
        selectedBy value: (String) -> String?
    ) async throws -> LoadRequest? {
        if !targetCache.memoryStorage.store.contains(entry.memoryKey),
            !(try await target.ask(for: task).isThere)
        {
            return nil
        }
        guard let record = await targetCache.currentRecord(of: entry) else { return nil }
        let number = record.variant(for: value)
        return number > 0 ? with(variant: number) : nil
    }
}
