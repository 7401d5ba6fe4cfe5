import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The responses that led to an image, or to the result that there is none: the redirects and the
/// final response, each with its own lifetime.
package struct HTTPRecord: Sendable, Codable, Equatable {
    /// The redirects in order, up to the first that must not be stored.
    package private(set) var redirects: [HTTPAnswer]
    /// Whether all redirects are stored.
    let isWhole: Bool
    /// The response with the image, or with a status that means there is none.
    package private(set) var answer: HTTPAnswer
    /// The requests whose variants have their own entries, numbered from 1.
    private var variants: [[String: String?]] = []
    /// The number of variants that have been given an entry so far.
    private var variantCount = 0

    /// Not counting the variant of this record.
    private static let maxVariants = 3

    /// Makes a record of a chain of responses; nil if the last one must not be stored.
    ///
    /// - Parameters:
    ///   - known: Fresh redirects that were followed without a request.
    ///   - redirects: Redirects received now.
    ///   - response: The final response.
    ///   - time: The time at which the first request was sent.
    ///   - rules: The rules of the cache.
    ///   - value: Returns the request's value of a field.
    package init?(
        known: [HTTPAnswer] = [],
        redirects: [TransferResponse] = [],
        _ response: TransferResponse,
        time: Date,
        rules: HTTPCachingRules = HTTPCachingRules(),
        requestField value: (String) -> String?
    ) {
        let answer = HTTPAnswer(response, time: time, rules: rules, requestField: value)
        guard let answer else { return nil }
        self.init(known, redirects, answer, time, value)
    }

    private init(
        _ known: [HTTPAnswer],
        _ redirects: [TransferResponse],
        _ answer: HTTPAnswer,
        _ time: Date,
        _ value: (String) -> String?
    ) {
        let answers = redirects.map {
            HTTPAnswer($0, time: time, rules: answer.rules, requestField: value)
        }
        self.redirects = known + answers.prefix { $0 != nil }.compactMap { $0 }
        isWhole = !answers.contains(nil)
        self.answer = answer
    }

    /// The target of a redirect; nil if it must not be stored.
    func target(of index: Int) -> URL? {
        if index + 1 < redirects.count { return redirects[index + 1].url }
        return isWhole ? answer.url : nil
    }

    /// The URL of the first request.
    var first: URL { redirects.first?.url ?? answer.url }

    /// The record for a request to another URL of the same image.
    func asked(at url: URL) -> HTTPRecord {
        var record = self
        if redirects.isEmpty { record.answer.url = url } else { record.redirects[0].url = url }
        return record
    }

    /// Whether the record means that there is no image.
    package var isNegative: Bool { answer.isNegative }

    /// The record after a 304 at the end of the chain; nil if it must not be stored any more.
    package func confirmed(
        known: [HTTPAnswer] = [],
        redirects: [TransferResponse] = [],
        by confirmation: TransferResponse,
        time: Date,
        requestField value: (String) -> String?
    ) -> HTTPRecord? {
        answer.confirmed(by: confirmation, time: time, requestField: value).map {
            HTTPRecord(known, redirects, $0, time, value).with(variantsOf: self)
        }
    }

    /// The record after redirects that led to its fresh response again.
    func reached(
        known: [HTTPAnswer],
        redirects: [TransferResponse],
        time: Date,
        requestField value: (String) -> String?
    ) -> HTTPRecord {
        HTTPRecord(known, redirects, answer, time, value).with(variantsOf: self)
    }

    // MARK: Variants (RFC 9111, 4.1)

    private func with(variantsOf old: HTTPRecord) -> HTTPRecord {
        guard answer.selectingNames == old.answer.selectingNames else { return self }
        var record = self
        (record.variants, record.variantCount) = (old.variants, old.variantCount)
        return record
    }

    /// The number of the variant that a request selects; 0 for this record's own and for unknown
    /// ones.
    func variant(for value: (String) -> String?) -> Int {
        if variants.isEmpty || answer.isSelected(by: value) { return 0 }
        return variants.firstIndex(of: answer.selection(value)).map { $0 + 1 } ?? 0
    }

    /// Gives a response selected by another request its own entry, possibly replacing that of the
    /// oldest variant.
    ///
    /// - Returns: This record with the variant, and its number; nil if the response replaces this
    ///   one.
    func adding(
        _ other: HTTPRecord,
        requestField value: (String) -> String?
    ) -> (record: HTTPRecord, number: Int)? {
        let names = answer.selectingNames
        guard !names.isEmpty, !names.contains("*"), names == other.answer.selectingNames,
            !answer.isSelected(by: value)
        else { return nil }
        var record = self
        let place = variantCount % Self.maxVariants
        let selection = answer.selection(value)
        if place < variants.count {
            record.variants[place] = selection
        } else {
            record.variants.append(selection)
        }
        record.variantCount = (variantCount + 1) % (2 * Self.maxVariants)
        return (record, place + 1)
    }
}

/// The responses of a download, even if it failed.
final class RedirectChain: Sendable {
    struct Steps: Sendable {
        /// The first request.
        let request: URLRequest
        let redirects: [TransferResponse]
        /// The last response; nil if there was none.
        let response: TransferResponse?
    }

    private let state = Mutex<Steps?>(nil)

    /// Nil until the download has ended.
    var steps: Steps? { state.withLock { $0 } }

    func note<Attachment>(_ download: SharedDownload<Attachment>) {
        let steps = Steps(
            request: download.request,
            redirects: download.redirects,
            response: download.response
        )
        state.withLock { $0 = steps }
    }
}

/// The header fields of a conditional request for one URL.
///
/// A validator identifies versions of one resource (RFC 9110, 8.8). Sent to another URL, it could
/// confirm a different image.
package struct HTTPCondition: Sendable, Hashable {
    let url: URL
    let fields: [String: String]

    /// Whether the response of the URL is fresh, so that a redirect to the URL suffices.
    var endsAtRedirect = false

    /// The request with the condition if it is for the URL, otherwise without it.
    func applied(to request: URLRequest) -> URLRequest {
        var request = request
        let isMeant = isMeant(request)
        for (name, value) in fields {
            request.setValue(isMeant ? value : nil, forHTTPHeaderField: name)
        }
        return request
    }

    private func isMeant(_ request: URLRequest) -> Bool {
        request.url.map { $0.isSameResource(as: url) } ?? false
    }

    /// Whether the request that follows a redirect need not be sent.
    func isEnd(_ request: URLRequest) -> Bool { endsAtRedirect && isMeant(request) }

    /// Whether a response confirms the image: “not modified”, or a redirect to it.
    func isConfirmed(by response: TransferResponse) -> Bool {
        if response.statusCode == 304 {
            return !fields.isEmpty && response.url.isSameResource(as: url)
        }
        guard endsAtRedirect, RedirectRules.statuses.contains(response.statusCode),
            let location = response.values(for: "Location").first,
            let target = URL(string: location, relativeTo: response.url)?.absoluteURL
        else { return false }
        return target.isSameResource(as: url)
    }
}

/// The request and condition with which a load asks, and the responses it received.
struct ConditionalRequest: Sendable {
    /// The request for the first URL that must be asked, as made by the load's request modifier.
    var request: URLRequest?
    var condition: HTTPCondition?
    /// The URL of the modifier's request, before the fresh redirects.
    var asked: URL?
    /// The fresh redirects that lead to the URL of the request.
    var known: [HTTPAnswer] = []
    let chain = RedirectChain()

    /// A request for the image without a condition; responses are recorded in the same chain.
    func unconditional(_ request: URLRequest?) -> ConditionalRequest {
        var conditional = self
        (conditional.request, conditional.condition, conditional.known) = (request, nil, [])
        return conditional
    }
}
