/// One segment of the options of a URL: a name with its arguments, percent-decoded.
struct OptionCall: Sendable, Hashable {
    /// The name as written.
    var name: String
    var arguments: [String]

    /// Makes a call.
    init(name: String, arguments: [String]) {
        self.name = name
        self.arguments = arguments
    }

    /// Reads a segment such as `rs:fill:300:400`.
    ///
    /// A segment without a separator is decoded first: some proxies encode the separator, too.
    ///
    /// - Returns: The call, or nil if the segment has no separator.
    init?(segment: some StringProtocol, separator: String) throws(ServiceError) {
        var fields = Self.fields(of: segment, separator: separator)
        if fields.count > 1 {
            for index in fields.indices { fields[index] = try Self.decoded(fields[index]) }
        } else if segment.utf8.contains(UInt8(ascii: "%")) {
            fields = Self.fields(of: try Self.decoded(segment), separator: separator)
        }
        guard fields.count > 1 else { return nil }
        name = fields.removeFirst()
        arguments = fields
    }

    /// The parts of a text between separators, compared byte by byte.
    static func fields(of text: some StringProtocol, separator: String) -> [String] {
        Array(text.utf8)
            .split(separator: Array(separator.utf8), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func decoded(_ text: some StringProtocol) throws(ServiceError) -> String {
        guard let decoded = PercentEncoding.decoded(text) else {
            throw .refused("\(ServiceError.quoted(text)) is not valid percent-encoding")
        }
        return decoded
    }
}
