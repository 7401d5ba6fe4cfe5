package import Foundation

/// What may be done with a remembered answer, as RFC 9111 and RFC 5861 have it: a pure function of
/// the record, the request and the time.
package struct HTTPFreshnessPolicy: Sendable {
    /// What to do before the answer is used.
    package enum Step: Sendable, Equatable {
        /// Nothing: it is good.
        case use
        /// Use it now, and ask behind.
        case useAndRevalidate
        /// Ask first.
        case revalidate
    }

    private let record: HTTPRecord
    private let isSelected: Bool
    private let now: Date

    /// Judges a record.
    ///
    /// - Parameters:
    ///   - record: What is remembered.
    ///   - now: The time.
    ///   - value: What the request would say in a field; asked for the fields of `Vary` alone.
    package init(_ record: HTTPRecord, now: Date, requestField value: (String) -> String?) {
        self.record = record
        self.now = now
        isSelected = record.selecting.allSatisfy { name, said in
            name != "*" && value(name) == said
        }
    }

    private var control: CacheControl { record.control }

    /// Seconds beyond the lifetime; 0 or less for what is fresh.
    private var staleness: TimeInterval { record.age(at: now) - record.lifetime }

    /// What to do.
    package var step: Step {
        guard isSelected, !control.isNoCache else { return .revalidate }
        if staleness < 0 { return .use }
        let isInTime = staleness < TimeInterval(control.staleWhileRevalidate)
        return isInTime && !control.mustRevalidate && !record.isNegative
            ? .useAndRevalidate : .revalidate
    }

    /// Whether the answer may be used although nobody could be asked, or the server is in trouble.
    package var mayStandForError: Bool {
        isSelected && !control.isNoCache && !control.mustRevalidate && !record.isNegative
            && staleness < TimeInterval(control.staleIfError)
    }

    /// The fields that ask whether the answer is still good; none if it must be fetched again.
    package var condition: [String: String] {
        guard !record.isNegative else { return [:] }
        var condition: [String: String] = [:]
        if let tag = record.value("etag") { condition["If-None-Match"] = tag }
        // Of another variant, the date would say nothing; a tag names one of them (4.1).
        if isSelected, let modified = record.value("last-modified") {
            condition["If-Modified-Since"] = modified
        }
        return condition
    }
}
