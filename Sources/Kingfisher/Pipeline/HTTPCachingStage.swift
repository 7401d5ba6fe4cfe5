import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Applies the rules of HTTP to what the caches have: use it, ask whether it is still good, or
/// fetch it.
///
/// The rules themselves are ``HTTPFreshnessPolicy``'s.
struct HTTPCachingStage {
    /// An image that the caches gave.
    struct Hit {
        let result: RetrieveImageResult
        /// What the image is, or what it was made of.
        let origin: HTTPRecords.Origin
        /// The image before the image modifier.
        let image: KFCrossPlatformImage
    }

    /// What is to be done for a load.
    enum Step {
        case deliver(RetrieveImageResult)
        /// Deliver it, and ask in the background with this request.
        case deliverAndRefresh(RetrieveImageResult, Judged, LoadRequest)
        /// Send this request; what the cache has may be confirmed by it.
        case fetch(Judged?, LoadRequest)
    }

    /// A hit with its record, and what may be done with it.
    struct Judged {
        let hit: Hit
        let record: HTTPRecord
        let policy: HTTPFreshnessPolicy
    }

    private let request: LoadRequest
    private let name: String
    private let originalName: String
    /// The request of the load before redirects; nil if its modifier fails, which it will report
    /// again when the request is sent.
    private let sent: URLRequest?
    private let time = Date()

    /// Creates the stage of a load that asks for it; nil if its bytes do not come from our own
    /// transfer.
    init?(_ request: LoadRequest) async {
        guard !request.downloader.isOverridden, case .network(let resource) = request.source
        else { return nil }
        self.request = request
        name = request.targetCache.recordName(request.key, request.options)
        originalName = request.originalCache.recordName(request.key, request.originalOptions)
        sent = try? await request.downloader.request(
            for: resource.downloadURL,
            options: request.options
        )
    }

    private var records: HTTPRecords { request.targetCache.httpRecords }
    private var originals: HTTPRecords { request.originalCache.httpRecords }
    private var control: CacheControl { CacheControl(ofRequest: field) }

    /// The value that the load's request has for a field.
    private func field(_ name: String) -> String? {
        request.downloader.fieldSent(name, with: sent)
    }

    // MARK: Before the request

    /// Decides about a load.
    ///
    /// - Parameter hit: What the caches gave.
    /// - Returns: What to do; a request to send may carry a condition.
    /// - Throws: The error that the server gave a short time ago, if there was no image.
    func step(for hit: Hit?) async throws -> Step {
        guard let judged = await judged(hit) else {
            if request.looksUp, hit == nil { try await checkAbsence() }
            return try await fetch(nil)
        }
        switch judged.policy.step {
        case .use: return .deliver(judged.hit.result.with(.fresh))
        case .useStale: return .deliver(judged.hit.result.with(.stale))
        case .useAndRevalidate where !control.isOnlyIfCached:
            return .deliverAndRefresh(
                judged.hit.result.with(.stale),
                judged,
                asking(judged.policy)
            )
        case .useAndRevalidate, .revalidate: return try await fetch(judged)
        }
    }

    private func judged(_ hit: Hit?) async -> Judged? {
        guard let hit, let record = await record(of: hit), !record.isNegative else { return nil }
        return Judged(hit: hit, record: record, policy: policy(record))
    }

    private func record(of hit: Hit) async -> HTTPRecord? {
        hit.isMadeOfOriginal
            ? await originals.record(of: hit.origin, originalName)
            : await records.record(of: hit.origin, name)
    }

    private func policy(_ record: HTTPRecord) -> HTTPFreshnessPolicy {
        HTTPFreshnessPolicy(record, now: time, requestField: field)
    }

    /// Throws what the server said if it said that there is no image, and that still holds.
    private func checkAbsence() async throws {
        guard let record = await records.absence(name), policy(record).step == .use else { return }
        throw KingfisherError.responseError(
            reason: .invalidHTTPStatusCode(response: record.response)
        )
    }

    private func fetch(_ judged: Judged?) async throws -> Step {
        guard !control.isOnlyIfCached else {
            throw KingfisherError.cacheError(reason: .imageNotExisting(key: request.key))
        }
        return .fetch(judged, judged.map { asking($0.policy) } ?? unconditional)
    }

    /// Asks for the image whatever the caches have.
    var unconditional: LoadRequest { request.with(HTTPQuestion(request: sent)) }

    /// Asks whether an image is still good, from the first URL on that has to be asked.
    private func asking(_ policy: HTTPFreshnessPolicy) -> LoadRequest {
        var question = HTTPQuestion(request: sent)
        question.condition = policy.condition
        // A redirect handler is asked about every redirect.
        guard request.options.redirectHandler == nil, var next = sent else {
            return request.with(question)
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
            question.known.append(redirect)
        }
        question.request = next
        return request.with(question)
    }

    /// The hit for a load that must not use the network, if it is for this request.
    func offline(_ hit: Hit) async -> RetrieveImageResult? {
        guard let judged = await judged(hit) else { return hit.result.with(.stale) }
        guard judged.policy.isSelected else { return nil }
        return hit.result.with(judged.policy.step == .use ? .fresh : .stale)
    }

    /// Whether the caller is to ask in the background; false while another load does.
    func beginRefresh(_ judged: Judged) -> Bool {
        judged.hit.isMadeOfOriginal
            ? originals.beginRefresh(originalName, of: judged.hit.origin, with: judged.record)
            : records.beginRefresh(name, of: judged.hit.origin, with: judged.record)
    }

    func endRefresh(_ judged: Judged) {
        if judged.hit.isMadeOfOriginal {
            originals.endRefresh(originalName)
        } else {
            records.endRefresh(name)
        }
    }

    // MARK: After the response

    /// What a response means for the image that the caches have.
    enum Verdict {
        /// The image is still good.
        case confirmed(RetrieveImageResult)
        /// The response is about another version: ask again, without a condition.
        case unusable
        /// The response has the image.
        case new
    }

    /// Judges a response to a request of ``step(for:)``.
    func verdict(
        _ output: FetchStage.Output,
        about judged: Judged?,
        _ question: HTTPQuestion?
    ) -> Verdict {
        guard case .data(let fetched) = output, let response = fetched.response,
            response.statusCode == 304, question?.condition != nil
        else { return .new }
        guard let judged, judged.record.answer.isConfirmed(by: response) else { return .unusable }
        let record =
            control.isNoStore
            ? judged.record
            : judged.record.confirmed(
                known: question?.known ?? [],
                redirects: question?.trail.steps?.redirects ?? [],
                by: response,
                time: time,
                requestField: field
            )
        if let record { replace(judged, by: record) } else { removeImage() }
        return .confirmed(judged.hit.result.with(.revalidated, metrics: fetched.metrics))
    }

    private func replace(_ judged: Judged, by record: HTTPRecord) {
        let hit = judged.hit
        guard hit.isMadeOfOriginal else {
            return records.replace(judged.record, of: hit.origin, by: record, name)
        }
        originals.replace(judged.record, of: hit.origin, by: record, originalName)
        records.replace(judged.record, of: .object(hit.image), by: record, name)
    }

    /// What to note of a new image as it reaches the caches; nil if it must not be stored.
    func notes(of output: FetchStage.Output, _ question: HTTPQuestion?) -> HTTPNotes? {
        guard case .data(let fetched) = output, let response = fetched.response else {
            return HTTPNotes()
        }
        let isNoStore = CacheControl(response.values(for: "Cache-Control")).isNoStore
        let record = record(response, question)
        guard !control.isNoStore, record != nil || !isNoStore else {
            removeImage()
            return nil
        }
        return HTTPNotes(
            image: .init(record: record, name: name, records: records),
            original: request.storesOriginal
                ? .init(record: record, name: originalName, records: originals) : nil
        )
    }

    private func record(_ response: TransferResponse, _ question: HTTPQuestion?) -> HTTPRecord? {
        HTTPRecord(
            known: question?.known ?? [],
            redirects: question?.trail.steps?.redirects ?? [],
            response,
            time: time,
            requestField: field
        )
    }

    /// What to note of an image that was made of the cached original.
    func notesOfOriginal(_ origin: HTTPRecords.Origin) async -> HTTPNotes {
        let record = await originals.record(of: origin, originalName)
        return HTTPNotes(image: .init(record: record, name: name, records: records))
    }

    /// What stands for an image that did not come.
    ///
    /// - Throws: The error, if nothing does.
    func recover(
        _ judged: Judged?,
        from error: any Error,
        _ question: HTTPQuestion?
    ) throws -> RetrieveImageResult {
        noteFailure(error, question)
        guard let judged, (error as? KingfisherError)?.isServerFailure == true,
            judged.policy.mayStandForError
        else { throw error }
        return judged.hit.result.with(.stale)
    }

    /// Remembers that there is no image, if that is what the server said.
    func noteFailure(_ error: any Error, _ question: HTTPQuestion?) {
        guard case KingfisherError.responseError(.invalidHTTPStatusCode) = error,
            let response = question?.trail.steps?.response
        else { return }
        let isGone = response.statusCode == 404 || response.statusCode == 410
        let record = control.isNoStore ? nil : record(response, question)
        guard isGone || record?.isNegative == true else { return }
        removeImage()
        if let record, record.isNegative { records.noteAbsence(record, name) }
    }

    /// Removes an image that a response has replaced, and its original.
    private func removeImage() {
        records.remove(name)
        request.targetCache.removeImage(
            forKey: request.key,
            processorIdentifier: request.identifier,
            forcedExtension: request.options.forcedExtension
        )
        guard request.hasSeparateOriginal else { return }
        originals.remove(originalName)
        request.originalCache.removeImage(
            forKey: request.key,
            forcedExtension: request.options.forcedExtension
        )
    }
}

extension HTTPCachingStage.Hit {
    fileprivate var isMadeOfOriginal: Bool { result.cacheType == .none }
}

extension RetrieveImageResult {
    /// The same image, and how it stands to its server.
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
    /// The response in Foundation's terms.
    fileprivate var response: HTTPURLResponse {
        TransferResponse(
            url: answer.url,
            statusCode: answer.statusCode,
            fields: answer.keptFields
        ).httpURLResponse
    }
}

extension KingfisherError {
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
