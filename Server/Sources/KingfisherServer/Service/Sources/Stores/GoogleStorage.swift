internal import CServerCrypto
import Foundation

/// Objects of Google Cloud Storage, or of a service with its JSON interface.
///
/// The key of a service account signs a token itself, so that Google is not asked for one. Without a
/// key the metadata server of the machine gives the tokens of its account; other services are asked
/// without a token.
///
/// Source: https://google.aip.dev/auth/4111
struct GoogleStorage: ObjectSigner {
    let buckets: BucketRules
    private let endpoint: String
    private let token: KeptCredential<String>?

    /// - Throws: ``ConfigurationError`` for a key that cannot be used.
    init(
        _ configuration: ServiceConfiguration.Stores,
        _ client: TrustedClient
    ) throws(ConfigurationError) {
        buckets = BucketRules(
            allowed: configuration.googleAllowedBuckets,
            denied: configuration.googleDeniedBuckets
        )
        let own = configuration.googleEndpoint
        let isRoot = own.map { $0.path.isEmpty || $0.path == "/" } ?? true
        endpoint = (own?.base ?? "https://storage.googleapis.com") + (isRoot ? "/storage/v1" : "")
        if let key = try ServiceAccountKey(configuration) {
            token = KeptCredential {
                let end = Date(timeIntervalSinceNow: 3600)
                guard let token = key.token(from: Date(), to: end) else {
                    throw TrustedClient.error("the key of the service account cannot sign")
                }
                return .init(value: token, expires: end)
            }
        } else if own == nil {
            let host = configuration.googleMetadataHost
            token = KeptCredential {
                let address = "http://\(host)/computeMetadata/v1/instance/service-accounts/default"
                let field = HeaderField(name: "Metadata-Flavor", value: "Google")
                return try TrustedClient.token(
                    try await client.send("\(address)/token", [field])
                )
            }
        } else {
            token = nil
        }
    }

    func request(bucket: String, key: String) async throws -> SignedRequest {
        let path = "\(bucket)/o/\(PercentEncoding.encoded(key, keeping: ""))"
        guard let url = URL(string: "\(endpoint)/b/\(path)?alt=media") else {
            throw ServiceError(404, "The address of the object is not valid", "Correct the URL")
        }
        guard let token = try await token?.value() else { return SignedRequest(url: url) }
        return SignedRequest(
            url: url,
            fields: [HeaderField(name: "Authorization", value: "Bearer \(token)")]
        )
    }

    func forgetCredentials() async -> Bool { await token?.forget() ?? false }
}

/// The key of a Google service account.
struct ServiceAccountKey: Sendable {
    private let email: String
    private let identifier: String?
    private let pem: String

    /// Reads the configured key; nil if there is none.
    ///
    /// - Throws: ``ConfigurationError`` if it is not the key of a service account.
    init?(_ configuration: ServiceConfiguration.Stores) throws(ConfigurationError) {
        let path = configuration.googleKeyPath
        let name =
            configuration.googleKey == nil
            ? "GOOGLE_APPLICATION_CREDENTIALS" : "IMGPROXY_GCS_KEY"
        guard
            let text = configuration.googleKey.map({ Data($0.utf8) })
                ?? path.map({ FileManager.default.contents(atPath: $0) ?? Data() })
        else { return nil }
        let object = (try? JSONSerialization.jsonObject(with: text)) as? [String: Any]
        guard let object, object["type"] as? String == "service_account",
            let email = object["client_email"] as? String,
            let pem = object["private_key"] as? String,
            PrivateKey.signature(of: [], with: pem) != nil
        else {
            throw ConfigurationError(
                name: name,
                expected: "the JSON of a key of a service account",
                found: nil
            )
        }
        (self.email, self.pem) = (email, pem)
        identifier = object["private_key_id"] as? String
    }

    /// A token for reading objects; nil if it cannot be signed.
    func token(from start: Date, to end: Date) -> String? {
        var head: [String: Any] = ["alg": "RS256", "typ": "JWT"]
        head["kid"] = identifier
        let claims: [String: Any] = [
            "iss": email, "sub": email, "iat": Int(start.timeIntervalSince1970),
            "exp": Int(end.timeIntervalSince1970),
            "scope": "https://www.googleapis.com/auth/devstorage.read_only",
        ]
        let parts = [head, claims].compactMap { object in
            try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        }
        let text = parts.map { Base64URL.encoded($0) }.joined(separator: ".")
        return PrivateKey.signature(of: Array(text.utf8), with: pem).map {
            "\(text).\(Base64URL.encoded($0))"
        }
    }
}

/// Signs with RSA and SHA-256.
enum PrivateKey {
    /// The signature of a text; nil if the key is malformed or encrypted.
    static func signature(of text: [UInt8], with pem: String) -> [UInt8]? {
        let bytes = Array(pem.utf8)
        guard let input = BIO_new_mem_buf(bytes, Int32(clamping: bytes.count)) else { return nil }
        defer { BIO_free(input) }
        // An empty password: without any, libcrypto would ask for one on the terminal.
        var password: [CChar] = [0]
        guard let key = PEM_read_bio_PrivateKey(input, nil, nil, &password) else { return nil }
        defer { EVP_PKEY_free(key) }
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
        var count = 0
        guard EVP_DigestSign(context, nil, &count, text, text.count) == 1 else { return nil }
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSign(context, &signature, &count, text, text.count) == 1 else { return nil }
        return Array(signature.prefix(count))
    }
}
