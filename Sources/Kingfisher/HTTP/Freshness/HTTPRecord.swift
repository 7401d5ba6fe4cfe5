package import Foundation

/// What is remembered of the responses that led to an image, or to the news that there is none:
/// the redirects and the response behind them, each with its own lifetime.
package struct HTTPRecord: Sendable, Codable, Equatable {
    /// The redirects, in order; those before the first that must not be stored.
    package let redirects: [HTTPAnswer]
    /// Whether the redirects are all that there were.
    let isWhole: Bool
    /// The response with the image, or with the status that says that there is none.
    package let answer: HTTPAnswer
    /// The requests whose variants have entries of their own, numbered from 1.
    private var variants: [[String: String?]] = []
    /// How many variants have got an entry so far.
    private var variantCount = 0

    /// Besides the one that the record is of.
    private static let maxVariants = 3

    /// Remembers a chain of responses; nil if the last one must not be stored.
    ///
    /// - Parameters:
    ///   - known: Redirects that were followed without a request, as they were fresh.
    ///   - redirects: Redirects that were answered now.
    ///   - response: The response behind them.
    ///   - time: When the first request was sent.
    ///   - value: The value that the request had for a field.
    package init?(
        known: [HTTPAnswer] = [],
        redirects: [TransferResponse] = [],
        _ response: TransferResponse,
        time: Date,
        requestField value: (String) -> String?
    ) {
        guard let answer = HTTPAnswer(response, time: time, requestField: value) else {
            return nil
        }
        self.init(known, redirects, answer, time, value)
    }

    private init(
        _ known: [HTTPAnswer],
        _ redirects: [TransferResponse],
        _ answer: HTTPAnswer,
        _ time: Date,
        _ value: (String) -> String?
    ) {
        let answers = redirects.map { HTTPAnswer($0, time: time, requestField: value) }
        self.redirects = known + answers.prefix { $0 != nil }.compactMap { $0 }
        isWhole = !answers.contains(nil)
        self.answer = answer
    }

    /// Where a redirect leads; nil where that must not be remembered.
    func target(of index: Int) -> URL? {
        if index + 1 < redirects.count { return redirects[index + 1].url }
        return isWhole ? answer.url : nil
    }

    /// Whether it says that there is no image.
    package var isNegative: Bool { answer.isNegative }

    /// The record after a 304 at the end of a chain; nil if it must not be stored any more.
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

    /// The number of the variant that a request selects; 0 for this record's own, and for one that
    /// is not known.
    func variant(for value: (String) -> String?) -> Int {
        if variants.isEmpty || answer.isSelected(by: value) { return 0 }
        return variants.firstIndex(of: answer.selection(value)).map { $0 + 1 } ?? 0
    }

    /// Gives a response that another request selects an entry of its own, perhaps that of the
    /// oldest variant.
    ///
    /// - Returns: This record with the variant, and its number; nil if the response takes this
    ///   one's place.
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
