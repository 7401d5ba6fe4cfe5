import CCurl

/// The content codings that are requested and decoded (RFC 9110, 8.4.1).
enum ContentCoding {
    /// The codings that libcurl decodes with little memory.
    ///
    /// zstd is excluded: its window takes up to 128 MiB for a body of a few bytes, and libcurl
    /// cannot limit it.
    static let supported: [String] = {
        let features = curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0
        return (features & CURL_VERSION_LIBZ != 0 ? ["gzip", "deflate"] : [])
            + (features & CURL_VERSION_BROTLI != 0 ? ["br"] : [])
    }()

    /// The value of `Accept-Encoding`: the codings in `wish` that are supported, or all of them if
    /// nil.
    static func accepted(_ wish: String?) -> String {
        guard let wish else { return joined(supported) }
        let offers = wish.split(separator: ",").map { String($0.trimmed) }
        return joined(
            offers.filter { offer in
                let name = offer.prefix { $0 != ";" }.trimmed.lowercased()
                return name == "identity" || supported.contains(name)
            }
        )
    }

    private static func joined(_ names: [String]) -> String {
        names.isEmpty ? "identity" : names.joined(separator: ", ")
    }

    /// Why a body cannot be decoded within limits; `nil` if it can.
    ///
    /// libcurl decodes every coding it knows, requested or not. Only one coding is accepted: nested
    /// codings multiply the expansion of a small body.
    static func refusal(of response: TransferResponse) -> String? {
        if let coding = response.value(for: "Content-Encoding") {
            let names = ["identity", "none", "x-gzip", ""] + supported
            guard names.contains(coding.trimmed.lowercased()) else {
                return "its body is encoded as “\(coding)”; supported are \(joined(supported))"
            }
        }
        if let coding = response.value(for: "Transfer-Encoding") {
            guard ["chunked", "identity", ""].contains(coding.trimmed.lowercased()) else {
                return "its transfer encoding is “\(coding)”; chunked is supported"
            }
        }
        return nil
    }
}
