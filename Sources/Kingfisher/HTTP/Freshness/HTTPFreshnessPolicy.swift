import Foundation

/// How stored responses may be used according to RFC 9111 and RFC 5861; a pure function of the
/// record, the request and the time.
package struct HTTPFreshnessPolicy: Sendable {
    /// The action required before the image is used.
    ///
    /// For a chain, the strictest action of its responses applies.
    package enum Step: Int, Sendable, Comparable {
        /// None, because the image is fresh.
        case use
        /// None, because the request accepts the stale image.
        case useStale
        /// Use the image now, and revalidate it in the background.
        case useAndRevalidate
        /// Revalidate the image first.
        case revalidate

        package static func < (a: Step, b: Step) -> Bool { a.rawValue < b.rawValue }
    }

    private let record: HTTPRecord
    private let steps: [Step]
    private let isAnswerSelected: Bool

    /// The required action.
    package let step: Step
    /// Whether the image may be used if the server is unreachable or fails.
    package let mayStandForError: Bool
    /// Whether all responses apply to this request.
    package let isSelected: Bool

    /// Evaluates a record.
    ///
    /// - Parameters:
    ///   - record: The stored responses.
    ///   - now: The current time.
    ///   - value: Returns the request's value of a field.
    package init(_ record: HTTPRecord, now: Date, requestField value: (String) -> String?) {
        let request = CacheControl(ofRequest: value)
        let judged = (record.redirects + [record.answer]).map { answer in
            (
                answer: Judgement(answer, request, at: now),
                isSelected: answer.isSelected(by: value)
            )
        }
        self.record = record
        steps = judged.map { $0.isSelected ? $0.answer.step : .revalidate }
        step = record.isWhole ? steps.max() ?? .revalidate : .revalidate
        isAnswerSelected = record.answer.isSelected(by: value)
        isSelected = judged.allSatisfy(\.isSelected)
        mayStandForError =
            record.isWhole && !record.isNegative
            && judged.allSatisfy { $0.isSelected && $0.answer.mayStandForError }
    }

    /// Whether the image is shown although the server fails: in place of the failure, or before the
    /// server is asked.
    package var isShownDespiteFailure: Bool { mayStandForError || step == .useAndRevalidate }

    /// The redirects that need no request, from the first one on, with their targets.
    package var freshRedirects: [(redirect: HTTPAnswer, target: URL)] {
        var fresh: [(HTTPAnswer, URL)] = []
        for (index, redirect) in record.redirects.enumerated() where steps[index] <= .useStale {
            guard fresh.count == index, let target = record.target(of: index) else { break }
            fresh.append((redirect, target))
        }
        return fresh
    }

    /// The condition for revalidating the image; nil if it must be loaded again.
    package var condition: HTTPCondition? {
        let fields = record.answer.condition(isSelected: isAnswerSelected)
        let isBehindRedirects = !record.isWhole || !record.redirects.isEmpty
        let isFresh = (steps.last ?? .revalidate) <= .useStale
        guard !fields.isEmpty || isFresh else { return nil }
        return HTTPCondition(
            url: record.answer.url,
            fields: fields,
            endsAtRedirect: isBehindRedirects && isFresh
        )
    }
}

/// The use of one response that a request permits.
private struct Judgement {
    let step: HTTPFreshnessPolicy.Step
    let mayStandForError: Bool

    init(_ answer: HTTPAnswer, _ request: CacheControl, at now: Date) {
        let control = answer.control
        let age = answer.age(at: now)
        // Seconds beyond the lifetime; negative for a fresh response.
        let staleness = age - answer.lifetime
        let mayBeStale = !control.isNoCache && !control.mustRevalidate && !answer.isNegative
        let longestError = max(control.staleIfError ?? 0, request.staleIfError ?? 0)
        mayStandForError = mayBeStale && staleness < TimeInterval(longestError)

        let isYoungEnough =
            age < request.maxAge.map(TimeInterval.init) ?? .infinity
            && staleness + TimeInterval(request.minFresh) < TimeInterval(request.maxStale ?? 0)
        guard !control.isNoCache, !request.isNoCache else {
            step = .revalidate
            return
        }
        if staleness < 0, isYoungEnough {
            step = .use
        } else if mayBeStale, isYoungEnough {
            step = .useStale
        } else if mayBeStale, request.maxAge == nil, request.minFresh == 0,
            staleness < TimeInterval(control.staleWhileRevalidate ?? 0)
        {
            step = .useAndRevalidate
        } else {
            step = .revalidate
        }
    }
}

/// The rules of HTTP caching that depend on the users of a cache; see
/// ``ImageCache/httpCachingRules``.
public struct HTTPCachingRules: Sendable, Hashable {
    /// Whether the images are shown to other users than those whose requests loaded them.
    ///
    /// Responses with `private` are then not stored, `s-maxage` replaces `max-age`, and
    /// `proxy-revalidate` counts as `must-revalidate` (RFC 9111, 5.2.2). Responses to requests with
    /// the field `Authorization`, also before a redirect, are stored only if they have `public`,
    /// `must-revalidate` or `s-maxage` (3.5). Credentials in URLs, which are part of keys, and answers
    /// to challenges are not recognised.
    public var isShared: Bool

    /// The names of response header fields that are stored in addition to those that caching
    /// needs, in upper or lower case.
    ///
    /// ``RetrieveImageResult/response`` of a cached image has them too. They are stored as they
    /// arrive, so do not list fields that contain secrets.
    public var keptFields: Set<String>

    /// Makes rules.
    ///
    /// - Parameters:
    ///   - isShared: Whether the cache serves several users.
    ///   - keptFields: The names of additional fields to store.
    public init(isShared: Bool = false, keptFields: Set<String> = []) {
        self.isShared = isShared
        self.keptFields = keptFields
    }
}
