import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Applies the rules of HTTP to what the caches have: use it, ask whether it is still good, or
/// fetch it.
///
/// The rules themselves are ``HTTPFreshnessPolicy``'s.
struct HTTPCachingStage {
    /// What is to be done for a load.
    enum Step {
        case deliver(RetrieveImageResult)
        /// Deliver it, and ask behind with this request.
        case deliverAndRefresh(RetrieveImageResult, LoadRequest)
        /// Send this request; what the cache has may be confirmed by it.
        case fetch(LoadRequest)
    }

    private let request: LoadRequest
    private let url: URL
    private let name: String
    private let originalName: String
    private let known: HTTPRecords.Known
    private let knownOriginal: HTTPRecords.Known
    private let time = Date()

    /// Creates the stage of a load that asks for it; `nil` if its bytes do not come from our own
    /// transfer.
    ///
    /// To be called before the caches are looked at: see ``HTTPRecords/known(_:)``.
    init?(_ request: LoadRequest) async {
        guard !request.downloader.isOverridden, case .network(let resource) = request.source
        else { return nil }
        self.request = request
        url = resource.downloadURL
        name = request.targetCache.recordName(request.key, request.options)
        originalName = request.originalCache.recordName(request.key, request.originalOptions)
        known = await request.targetCache.httpRecords.known(name)
        let usesOriginal = request.looksUp && request.hasSeparateOriginal
        knownOriginal =
            usesOriginal ? await request.originalCache.httpRecords.known(originalName) : known
    }

    private var records: HTTPRecords { request.targetCache.httpRecords }

    // MARK: Before the request

    /// Decides about a load.
    ///
    /// - Parameter hit: What the caches gave; it was made from the cached original if its cache
    ///   type is `.none`.
    /// - Returns: What to do; a request to send may carry a condition.
    /// - Throws: The error that the server gave a short time ago, if there was no picture.
    func step(for hit: RetrieveImageResult?) async throws -> Step {
        if request.looksUp, let negative = known.record, negative.isNegative,
            await policy(negative).step == .use
        {
            throw KingfisherError.responseError(
                reason: .invalidHTTPStatusCode(response: negative.response)
            )
        }
        guard let hit, let record = record(of: hit) else { return .fetch(request) }
        let policy = await policy(record)
        switch policy.step {
        case .use:
            return .deliver(hit.with(.fresh))
        case .useAndRevalidate:
            return .deliverAndRefresh(hit.with(.stale), request.with(condition: policy.condition))
        case .revalidate:
            return .fetch(request.with(condition: policy.condition))
        }
    }

    /// The hit, whatever its age, for a load that must not use the network.
    func offline(_ hit: RetrieveImageResult) async -> RetrieveImageResult {
        guard let record = record(of: hit) else { return hit.with(.stale) }
        return hit.with(await policy(record).step == .use ? .fresh : .stale)
    }

    /// What is known about what the caches gave.
    private func known(of hit: RetrieveImageResult) -> HTTPRecords.Known {
        hit.cacheType == .none ? knownOriginal : known
    }

    /// The record of what the caches gave; an image takes over that of the original.
    private func record(of hit: RetrieveImageResult) -> HTTPRecord? {
        let record = known(of: hit).record(of: hit.cacheType)
        return record?.isNegative == true ? nil : record
    }

    private func policy(_ record: HTTPRecord) async -> HTTPFreshnessPolicy {
        var sent: URLRequest?
        if !record.selecting.isEmpty {
            // A modifier that fails will say so again when the request is made in earnest.
            sent = try? await request.downloader.request(for: url, options: request.options)
        }
        return HTTPFreshnessPolicy(record, now: time) {
            request.downloader.fieldSent($0, with: sent)
        }
    }

    /// Whether the caller is to ask behind; `false` while another load does.
    func beginRefresh(_ hit: RetrieveImageResult) -> Bool {
        // What was made of the original has just got its record.
        records.beginRefresh(name, of: known(of: hit))
    }

    func endRefresh() { records.endRefresh(name) }

    // MARK: After the answer

    /// The hit, if the server said that it is still good.
    func confirmed(
        _ hit: RetrieveImageResult?,
        by output: FetchStage.Output
    ) -> RetrieveImageResult? {
        guard case .data(let fetched) = output, let response = fetched.response,
            response.statusCode == 304, let hit, let record = record(of: hit)
        else { return nil }
        let refreshed = record.refreshed(by: response, time: time)
        records.replace(known(of: hit), of: hit.cacheType, by: refreshed, name)
        return hit.with(.revalidated, metrics: fetched.metrics)
    }

    /// What to note of a new picture as it reaches the caches; `nil` if it must not be stored.
    func notes(of output: FetchStage.Output) -> HTTPNotes? {
        guard case .data(let fetched) = output, let response = fetched.response else {
            return HTTPNotes()
        }
        let sent = fetched.token?.download.request
        let record = HTTPRecord(response, time: time) {
            request.downloader.fieldSent($0, with: sent)
        }
        if record == nil, CacheControl(response.values(for: "Cache-Control")).isNoStore {
            records.remove(name)
            if request.storesOriginal { request.originalCache.httpRecords.remove(originalName) }
            return nil
        }
        let originals = request.originalCache.httpRecords
        return HTTPNotes(
            image: HTTPNotes.Note(record, name, in: records),
            original: request.storesOriginal
                ? HTTPNotes.Note(record, originalName, in: originals) : nil
        )
    }

    /// What to note of a picture that was made of the cached original.
    var notesOfOriginal: HTTPNotes {
        let record = knownOriginal.record(of: .disk)
        let isThere = record?.isNegative == false
        return HTTPNotes(image: HTTPNotes.Note(isThere ? record : nil, name, in: records))
    }

    /// What stands for an answer that did not come.
    ///
    /// - Throws: The error, if nothing does.
    func recover(
        _ hit: RetrieveImageResult?,
        from error: any Error
    ) async throws
        -> RetrieveImageResult
    {
        if let response = (error as? KingfisherError)?.refusedResponse,
            response.statusCode == 404 || response.statusCode == 410
        {
            let answer = TransferResponse(response, fallback: url)
            let record = HTTPRecord(answer, time: time) {
                request.downloader.fieldSent($0, with: nil)
            }
            if let record { records.keep(record, name) } else { records.remove(name) }
            throw error
        }
        guard let hit, (error as? KingfisherError)?.isServerFailure == true,
            let record = record(of: hit), await policy(record).mayStandForError
        else { throw error }
        return hit.with(.stale)
    }
}

extension RetrieveImageResult {
    /// The same picture, and how it stands to its server.
    func with(_ freshness: HTTPFreshness, metrics: NetworkMetrics? = nil) -> RetrieveImageResult {
        var result = RetrieveImageResult(
            image: image,
            cacheType: cacheType,
            source: source,
            originalSource: originalSource,
            data: data,
            metrics: metrics ?? self.metrics
        )
        result.timings = timings
        result.freshness = freshness
        return result
    }
}

extension ImageCache {
    /// The name of an image's file, which names its record too.
    fileprivate func recordName(
        _ key: String,
        _ options: KingfisherParsedOptionsInfo
    ) -> String {
        diskStorage.fileName(of: CacheEntryName(key: key, options: options))
    }
}

extension HTTPRecord {
    /// The answer in Foundation's terms.
    fileprivate var response: HTTPURLResponse {
        TransferResponse(
            url: url,
            statusCode: statusCode,
            fields: keptFields
        ).httpURLResponse
    }
}

extension KingfisherError {
    /// The answer whose status was refused.
    fileprivate var refusedResponse: HTTPURLResponse? {
        guard case .responseError(.invalidHTTPStatusCode(let response)) = self else { return nil }
        return response
    }

    /// Whether the server could not be asked, or has a fault of its own (RFC 5861, 4).
    fileprivate var isServerFailure: Bool {
        guard !isCancellation, case .responseError(let reason) = self else { return false }
        switch reason {
        case .URLSessionError: return true
        case .invalidHTTPStatusCode(let response):
            return [500, 502, 503, 504].contains(response.statusCode)
        default: return false
        }
    }
}
