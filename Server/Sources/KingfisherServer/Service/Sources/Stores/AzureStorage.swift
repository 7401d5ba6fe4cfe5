import Foundation

/// Blobs of an account of Azure Blob Storage.
///
/// With the account's key each address has a signature that ends within two hours; unlike a signed
/// header it leaves the conditions and ranges of requests free. Without a key the identity of the
/// program, or that of the machine, gives tokens.
///
/// Source: https://learn.microsoft.com/rest/api/storageservices/create-service-sas
struct AzureStorage: ObjectSigner {
    static let version = "2021-06-08"

    let buckets: BucketRules
    private let account: String
    private let endpoint: String
    private let key: [UInt8]?
    private let token: KeptCredential<String>

    /// - Throws: ``ConfigurationError`` without an account, or for a malformed key.
    init(
        _ configuration: ServiceConfiguration.Stores,
        _ client: TrustedClient
    ) throws(ConfigurationError) {
        buckets = BucketRules(
            allowed: configuration.azureAllowedBuckets,
            denied: configuration.azureDeniedBuckets
        )
        guard let account = configuration.azureAccount else {
            throw ConfigurationError(
                name: "IMGPROXY_ABS_NAME",
                expected: "the name of the storage account",
                found: nil
            )
        }
        key = configuration.azureKey.map { [UInt8](Data(base64Encoded: $0) ?? Data()) }
        guard key?.isEmpty != true else {
            throw ConfigurationError(
                name: "IMGPROXY_ABS_KEY",
                expected: "the key of the storage account in Base64",
                found: nil
            )
        }
        self.account = account
        endpoint =
            configuration.azureEndpoint?.base ?? "https://\(account).blob.core.windows.net"
        token = KeptCredential { try await Self.token(configuration, client) }
    }

    func request(bucket: String, key name: String) async throws -> SignedRequest {
        let address = "\(endpoint)/\(bucket)/\(PercentEncoding.encoded(name, keeping: "/"))"
        let query = key.map { "?" + self.query(for: "\(bucket)/\(name)", with: $0, at: Date()) }
        guard let url = URL(string: address + (query ?? "")) else {
            throw ServiceError(404, "The address of the blob is not valid", "Correct the URL")
        }
        guard key == nil else { return SignedRequest(url: url) }
        return SignedRequest(
            url: url,
            fields: [
                HeaderField(name: "Authorization", value: "Bearer \(try await token.value())"),
                HeaderField(name: "x-ms-version", value: Self.version),
            ]
        )
    }

    func forgetCredentials() async -> Bool { key == nil ? await token.forget() : false }

    /// The query that permits to read a blob; the same one for an hour.
    func query(for blob: String, with key: [UInt8], at date: Date) -> String {
        let hour = (date.timeIntervalSince1970 / 3600).rounded(.down) + 2
        let end = LogTime.text(hour * 3600).replacingOccurrences(of: ".000", with: "")
        // Empty: the start, the stored policy, addresses, protocols, the snapshot, the encryption,
        // and five fields of the response.
        let parts =
            ["r", "", end, "/blob/\(account)/\(blob)", "", "", "", Self.version, "b"]
            + Array(repeating: "", count: 7)
        let signature = Digest.hmac(key, parts.joined(separator: "\n").utf8)
        return TrustedClient.text(of: [
            ("sv", Self.version), ("sr", "b"), ("sp", "r"), ("se", end),
            ("sig", Data(signature).base64EncodedString()),
        ])
    }

    private static func token(
        _ configuration: ServiceConfiguration.Stores,
        _ client: TrustedClient
    ) async throws -> KeptCredential<String>.Dated {
        let identity = configuration.azureClient
        if let tenant = configuration.azureTenant, let identity,
            configuration.azureSecret != nil || configuration.azureTokenFile != nil
        {
            let authority =
                configuration.azureAuthority?.base ?? "https://login.microsoftonline.com"
            var form = [
                ("grant_type", "client_credentials"), ("client_id", identity),
                ("scope", "https://storage.azure.com/.default"),
            ]
            if let secret = configuration.azureSecret {
                form.append(("client_secret", secret))
            } else if let file = configuration.azureTokenFile {
                let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                form.append(("client_assertion_type", type))
                form.append(("client_assertion", try TokenFile.text(file)))
            }
            let path = PercentEncoding.encoded(tenant, keeping: "")
            return try TrustedClient.token(
                try await client.post("\(authority)/\(path)/oauth2/v2.0/token", form: form)
            )
        }
        let base = configuration.azureMetadataAddress?.base ?? "http://169.254.169.254"
        var query = [("api-version", "2018-02-01"), ("resource", "https://storage.azure.com/")]
        if let identity { query.append(("client_id", identity)) }
        let address = "\(base)/metadata/identity/oauth2/token?"
        return try TrustedClient.token(
            try await client.send(
                address + TrustedClient.text(of: query),
                [HeaderField(name: "Metadata", value: "true")]
            )
        )
    }
}
