import CServerCrypto
import Foundation

/// Signs requests for objects of an S3 service (AWS Signature Version 4).
///
/// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
struct S3Signer: Sendable {
    /// A request for an object.
    struct Signed: Sendable {
        var url: URL
        var fields: [HeaderField]
    }

    private let region: String
    private let endpoint: URL?
    private let accessKey: String
    private let secretKey: String
    private let token: String?
    private let allowed: [String]
    private let denied: [String]

    /// Takes the keys of a configuration; nil if it has no S3.
    ///
    /// - Throws: ``ConfigurationError`` without keys.
    init?(_ configuration: ServiceConfiguration.Sources) throws(ConfigurationError) {
        guard configuration.usesS3 else { return nil }
        guard let access = configuration.s3AccessKey, let secret = configuration.s3SecretKey else {
            throw ConfigurationError(
                name: "AWS_ACCESS_KEY_ID",
                expected: "the keys for S3; those of the machine's role are not supported",
                found: nil
            )
        }
        (accessKey, secretKey, token) = (access, secret, configuration.s3SessionToken)
        region = configuration.s3Region ?? "us-east-1"
        endpoint = configuration.s3Endpoint
        allowed = configuration.s3AllowedBuckets
        denied = configuration.s3DeniedBuckets
    }

    /// The request for an object.
    ///
    /// - Parameters:
    ///   - bucket: The bucket.
    ///   - key: The object's key, not encoded.
    ///   - date: The time of the signature.
    /// - Returns: The address and the fields of the request.
    /// - Throws: ``ServiceError`` 404 for a bucket that must not be read.
    func request(bucket: String, key: String, at date: Date) throws(ServiceError) -> Signed {
        guard !denied.contains(bucket), allowed.isEmpty || allowed.contains(bucket) else {
            throw ServiceError(404, "The bucket is not allowed", "Name one that is configured")
        }
        let path = PercentEncoding.encoded(key, keeping: "/")
        // With an own service the bucket stands in the path, as its name need not be in the DNS.
        let address =
            endpoint.map { base in
                let base = base.absoluteString
                return "\(base.hasSuffix("/") ? String(base.dropLast()) : base)/\(bucket)/\(path)"
            } ?? "https://\(bucket).s3.\(region).amazonaws.com/\(path)"
        guard let url = URL(string: address), let host = url.host else {
            throw ServiceError(404, "The address of the object is not valid", "Correct the URL")
        }
        let port = url.port.map { ":\($0)" } ?? ""
        let signedPath = String(address.dropFirst((url.scheme ?? "").count + 3))
            .drop { $0 != "/" }
        return Signed(
            url: url,
            fields: fields(host: host + port, path: String(signedPath), at: date)
        )
    }

    /// The fields of a signed GET request without a query.
    func fields(
        host: String,
        path: String,
        at date: Date,
        extra: [HeaderField] = []
    ) -> [HeaderField] {
        let time = Self.time(date)
        let day = String(time.prefix(8))
        let emptyHash = Hexadecimal.text(of: Digest.sha256(Data()))
        var signed = [
            HeaderField(name: "x-amz-content-sha256", value: emptyHash),
            HeaderField(name: "x-amz-date", value: time),
        ]
        if let token { signed.append(HeaderField(name: "x-amz-security-token", value: token)) }
        signed += extra
        let all = (signed + [HeaderField(name: "host", value: host)])
            .sorted { $0.name.lowercased() < $1.name.lowercased() }
        let names = all.map { $0.name.lowercased() }.joined(separator: ";")
        let lines = all.map { "\($0.name.lowercased()):\($0.value)\n" }.joined()
        let canonical = "GET\n\(path)\n\n\(lines)\n\(names)\n\(emptyHash)"
        let scope = "\(day)/\(region)/s3/aws4_request"
        let hash = Hexadecimal.text(of: Digest.sha256(Data(canonical.utf8)))
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(hash)"
        var key = Array("AWS4\(secretKey)".utf8)
        for part in [day, region, "s3", "aws4_request"] { key = Digest.hmac(key, part.utf8) }
        let signature = Hexadecimal.text(of: Digest.hmac(key, text.utf8))
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope),SignedHeaders=\(names),"
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
