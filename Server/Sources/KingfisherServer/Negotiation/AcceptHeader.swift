/// The media types of an `Accept` header.
///
/// Source: RFC 9110, section 12.5.1. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1
struct AcceptHeader {
    /// The weights of explicit types, 0…1.
    private var weights: [Substring: Double] = [:]

    /// Reads a header; malformed elements and those after the first 100 are ignored.
    init(_ text: String?) {
        for element in (text ?? "").prefix(8 << 10).split(separator: ",").prefix(100) {
            let parts = element.split(separator: ";", omittingEmptySubsequences: false)
                .map(Self.trimmed)
            guard let type = parts.first?.lowercased()[...], !type.isEmpty,
                let weight = Self.weight(of: parts.dropFirst())
            else { continue }
            weights[type] = max(weights[type] ?? 0, weight)
        }
    }

    /// The formats that are accepted by name, best first.
    ///
    /// Wildcards do not count: clients that know none of these formats send `*/*`.
    ///
    /// - Parameter formats: The formats in question, in the order for equal weights.
    /// - Returns: Those with a weight above 0.
    func accepted(of formats: [OutputFormat]) -> [OutputFormat] {
        let weighted = formats.enumerated().compactMap { index, format in
            weights["image/\(format.mediaSubtype)"].map { (weight: $0, index: index, format) }
        }
        return weighted.filter { $0.weight > 0 }
            .sorted { ($0.weight, $1.index) > ($1.weight, $0.index) }
            .map(\.2)
    }

    /// The value of the parameter `q`; 1 without one, nil if it is malformed.
    private static func weight(of parameters: ArraySlice<Substring>) -> Double? {
        for parameter in parameters {
            guard let equals = parameter.firstIndex(of: "="),
                parameter[..<equals].lowercased() == "q"
            else { continue }
            let text = parameter[parameter.index(after: equals)...]
            guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }),
                text.utf8.count <= 5, let weight = Double(text), weight <= 1
            else { return nil }
            return weight
        }
        return 1
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}

extension OutputFormat {
    /// The part of the media type after `image/`.
    var mediaSubtype: String { self == .jpeg ? "jpeg" : rawValue }
}
