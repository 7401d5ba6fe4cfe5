import Foundation

/// Objects of Amazon S3, or of a service with its interface.
struct S3Storage: ObjectSigner {
    let buckets: BucketRules
    private let region: String
    private let endpoint: String?
    private let putsBucketInPath: Bool
    private let keys: KeptCredential<AmazonKeys>

    /// Takes the address and the keys of a configuration.
    init(_ configuration: ServiceConfiguration.Stores, _ client: TrustedClient) {
        buckets = BucketRules(
            allowed: configuration.s3AllowedBuckets,
            denied: configuration.s3DeniedBuckets
        )
        region = configuration.regionOfS3
        endpoint = configuration.s3Endpoint?.base
        putsBucketInPath = configuration.putsBucketInPath
        keys = AmazonCredentials(configuration, client).keys
    }

    func request(bucket: String, key: String) async throws -> SignedRequest {
        try request(bucket: bucket, key: key, with: await keys.value(), at: .thisMinute)
    }

    /// The request that reads, stores or removes an object now.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - bucket: The bucket, which need not be one of ``buckets``.
    ///   - key: The object's key, not encoded.
    ///   - body: The body.
    /// - Returns: The address and the fields of the request.
    /// - Throws: ``ServiceError``; `CancellationError`.
    func request(
        _ method: String,
        bucket: String,
        key: String,
        body: Data
    ) async throws -> SignedRequest {
        let keys = try await keys.value()
        return try request(method, bucket: bucket, key: key, body: body, with: keys, at: Date())
    }

    func forgetCredentials() async -> Bool { await keys.forget() }

    /// The request for an object.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - bucket: The bucket.
    ///   - key: The object's key, not encoded.
    ///   - body: The body.
    ///   - keys: The keys.
    ///   - date: The time of the signature.
    /// - Returns: The address and the fields of the request.
    /// - Throws: ``ServiceError`` 404 for an address that is not valid.
    func request(
        _ method: String = "GET",
        bucket: String,
        key: String,
        body: Data = Data(),
        with keys: AmazonKeys,
        at date: Date
    ) throws(ServiceError) -> SignedRequest {
        let path = PercentEncoding.encoded(key, keeping: "/")
        let address = "\(base(of: bucket))/\(path)"
        guard let url = URL(string: address), let host = url.authority else {
            throw ServiceError(404, "The address of the object is not valid", "Correct the URL")
        }
        let signature = AmazonSignature(keys: keys, region: region, service: "s3")
        let fields = signature.fields(
            method: method,
            host: host,
            path: url.textOfPath,
            body: body,
            at: date
        )
        return SignedRequest(url: url, fields: fields)
    }

    private func base(of bucket: String) -> String {
        guard let endpoint else { return "https://\(bucket).s3.\(region).amazonaws.com" }
        // The name of a bucket in an own service need not be in the DNS.
        guard !putsBucketInPath, let start = endpoint.range(of: "://")?.upperBound else {
            return "\(endpoint)/\(bucket)"
        }
        return "\(endpoint[..<start])\(bucket).\(endpoint[start...])"
    }
}

extension ServiceConfiguration.Stores {
    /// The region of S3.
    var regionOfS3: String { s3Region ?? awsRegion ?? "us-east-1" }
}

extension URL {
    /// The host, and the port if the URL names one.
    var authority: String? { host.map { $0 + (port.map { ":\($0)" } ?? "") } }

    /// The path as it is sent.
    var textOfPath: String {
        let text = absoluteString.dropFirst((scheme ?? "").count + 3).drop { $0 != "/" }
        return text.isEmpty ? "/" : String(text.prefix { $0 != "?" })
    }
}
