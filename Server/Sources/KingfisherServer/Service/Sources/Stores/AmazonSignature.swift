import Foundation

/// The keys of an account or a role of Amazon's services.
struct AmazonKeys: Sendable, Hashable {
    var access: String
    var secret: String
    /// The token of temporary keys.
    var token: String?
}

/// Signs requests for Amazon's services (Signature Version 4).
///
/// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
struct AmazonSignature: Sendable {
    let keys: AmazonKeys
    let region: String
    /// `s3` or `sts`.
    let service: String

    /// The fields of a signed request without a query.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - host: The host, and the port if it is not that of the scheme.
    ///   - path: The path, percent-encoded.
    ///   - body: The body.
    ///   - date: The time of the signature.
    ///   - extra: Further fields to sign.
    /// - Returns: The fields, with the signature at the end.
    func fields(
        method: String = "GET",
        host: String,
        path: String,
        body: Data = Data(),
        at date: Date,
        extra: [HeaderField] = []
    ) -> [HeaderField] {
        let time = Self.time(date)
        let day = String(time.prefix(8))
        let bodyHash = Hexadecimal.text(of: Digest.sha256(body))
        var signed = [
            HeaderField(name: "x-amz-content-sha256", value: bodyHash),
            HeaderField(name: "x-amz-date", value: time),
        ]
        if let token = keys.token {
            signed.append(HeaderField(name: "x-amz-security-token", value: token))
        }
        signed += extra
        let all = (signed + [HeaderField(name: "host", value: host)])
            .sorted { $0.name.lowercased() < $1.name.lowercased() }
        let names = all.map { $0.name.lowercased() }.joined(separator: ";")
        let lines = all.map { "\($0.name.lowercased()):\($0.value)\n" }.joined()
        let canonical = "\(method)\n\(path)\n\n\(lines)\n\(names)\n\(bodyHash)"
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let hash = Hexadecimal.text(of: Digest.sha256(Data(canonical.utf8)))
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(hash)"
        var key = Array("AWS4\(keys.secret)".utf8)
        for part in [day, region, service, "aws4_request"] { key = Digest.hmac(key, part.utf8) }
        let signature = Hexadecimal.text(of: Digest.hmac(key, text.utf8))
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(keys.access)/\(scope),SignedHeaders=\(names),"
            + "Signature=\(signature)"
        return signed + [HeaderField(name: "Authorization", value: authorization)]
    }

    /// The time as `20130524T000000Z`.
    private static func time(_ date: Date) -> String {
        LogTime.text(date.timeIntervalSince1970.rounded(.down))
            .replacingOccurrences(of: "-", with: "")
            .replacingOccurrences(of: ":", with: "")
            .replacingOccurrences(of: ".000", with: "")
    }
}
