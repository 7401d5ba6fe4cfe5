import CKFCurlShim

/// The content codings that are requested and decoded (RFC 9110, 8.4.1).
enum ContentCoding: String, CaseIterable {
    case gzip, deflate, br, zstd

    /// The names of the codings whose library is installed.
    static let supported = allCases.filter { kf_coding_exists($0.kind) != 0 }.map(\.rawValue)

    var kind: kf_coding_kind {
        switch self {
        case .gzip: kf_coding_gzip
        case .deflate: kf_coding_deflate
        case .br: kf_coding_brotli
        case .zstd: kf_coding_zstd
        }
    }

    /// The coding of a body; nil if it has none.
    init?(of response: TransferResponse) {
        let name = response.value(for: "Content-Encoding")?.trimmed.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name ?? "")
    }

    /// The value of `Accept-Encoding`: the supported ones of the `requested` codings; all supported
    /// ones if nil.
    static func accepted(_ requested: String?) -> String {
        guard let requested else { return all }
        let offers = requested.split(separator: ",").map { String($0.trimmed) }
        return joined(
            offers.filter { offer in
                let name = offer.prefix { $0 != ";" }.trimmed.lowercased()
                return name == "identity" || supported.contains(name)
            }
        )
    }

    /// Why a body with another transfer encoding is refused.
    static let notChunked = "its transfer encoding is not chunked"

    private static let all = joined(supported)

    private static func joined(_ names: [String]) -> String {
        names.isEmpty ? "identity" : names.joined(separator: ", ")
    }

    /// Why a body cannot be decoded within limits; `nil` if it can.
    ///
    /// Only one coding is accepted: nested codings multiply the expansion of a small body.
    static func refusal(of response: TransferResponse) -> String? {
        if let coding = response.value(for: "Content-Encoding") {
            let names = ["identity", "none", "x-gzip", ""] + supported
            guard names.contains(coding.trimmed.lowercased()) else {
                return "its body is encoded as “\(coding)”; supported are \(joined(supported))"
            }
        }
        if let coding = response.value(for: "Transfer-Encoding") {
            guard ["chunked", "identity", ""].contains(coding.trimmed.lowercased()) else {
                return "\(notChunked): “\(coding)”"
            }
        }
        return nil
    }
}
