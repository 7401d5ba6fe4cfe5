/// The size of the image on the client's screen, from its headers.
///
/// The headers that start with `Sec-CH-` take precedence over their older forms.
struct ClientHints: Sendable, Hashable {
    /// The factor between CSS pixels and those of the screen, with two decimals.
    var dpr: Double?
    /// The width in pixels of the screen.
    var width: Int?

    /// Reads the headers; values outside of 0.1…8 and 1…16384 are ignored.
    init(_ headers: NegotiationHeaders) {
        dpr = Self.number(headers.secCHDPR ?? headers.dpr, in: 0.1...8)
            .map { ($0 * 100).rounded() / 100 }
        width = Self.number(headers.secCHWidth ?? headers.width, in: 1...16384)
            .map { Int($0.rounded(.up)) }
    }

    private static func number(_ text: String?, in range: ClosedRange<Double>) -> Double? {
        let digits = (text ?? "").filter { $0 != " " }
        guard digits.utf8.count <= 16, let value = Double(digits),
            digits.utf8.allSatisfy({ "0123456789.".utf8.contains($0) })
        else { return nil }
        return range.contains(value) ? value : nil
    }
}
