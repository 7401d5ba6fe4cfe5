import CCurl

/// The encodings of a body that are asked for and decoded (RFC 9110, 8.4.1).
enum ContentCoding {
    /// What libcurl decodes within little memory.
    ///
    /// Not zstd: its window takes up to 128 MiB for a body of a few bytes, and libcurl gives no way
    /// to bound it.
    static let supported: [String] = {
        let features = curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0
        return (features & CURL_VERSION_LIBZ != 0 ? ["gzip", "deflate"] : [])
            + (features & CURL_VERSION_BROTLI != 0 ? ["br"] : [])
    }()

    /// The value for `Accept-Encoding`: what the caller wishes for of what can be decoded, or all of
    /// it without a wish.
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

    /// Why the body of an answer cannot be decoded within bounds; `nil` if it can.
    ///
    /// libcurl decodes whatever it knows, asked for or not. One encoding at most: several inside of
    /// each other multiply what a small body expands to.
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
