import Foundation
import Kingfisher

/// Objects of OpenStack Swift, with tokens of Keystone's version 3 or of Swift's own version 1.
///
/// Source: https://docs.openstack.org/api-ref/identity/v3/
struct SwiftStorage: ObjectSigner {
    /// A token, and the address of the account's containers.
    private struct Access: Sendable {
        var token: String
        var address: String
    }

    let buckets: BucketRules
    private let access: KeptCredential<Access>

    /// - Throws: ``ConfigurationError`` without a user, a password or an address.
    init(
        _ configuration: ServiceConfiguration.Stores,
        _ client: TrustedClient
    ) throws(ConfigurationError) {
        guard let user = configuration.swiftUser, let key = configuration.swiftKey,
            let address = configuration.swiftAddress?.base
        else {
            throw ConfigurationError(
                name: "IMGPROXY_SWIFT_AUTH_URL",
                expected: "an address, with IMGPROXY_SWIFT_USERNAME and IMGPROXY_SWIFT_API_KEY",
                found: nil
            )
        }
        let last = address.split(separator: "/").last ?? ""
        let found = last.hasPrefix("v3") ? 3 : last.hasPrefix("v1") || last == "auth" ? 1 : 0
        let version = configuration.swiftVersion == 0 ? found : configuration.swiftVersion
        guard version == 1 || version == 3 else {
            throw ConfigurationError(
                name: "IMGPROXY_SWIFT_AUTH_VERSION",
                expected: "1 or 3, or an address that ends with /v3 or /v1.0",
                found: "\(configuration.swiftVersion)"
            )
        }
        buckets = BucketRules(
            allowed: configuration.swiftAllowedBuckets,
            denied: configuration.swiftDeniedBuckets
        )
        let (tenant, domain) = (configuration.swiftTenant, configuration.swiftDomain)
        access = KeptCredential {
            guard version == 3 else { return try await Self.first(address, user, key, client) }
            let body = Self.question(user, key, domain: domain, tenant: tenant)
            return try await Self.third(address, body, client)
        }
    }

    func request(bucket: String, key: String) async throws -> SignedRequest {
        let access = try await access.value()
        let path = "\(bucket)/\(PercentEncoding.encoded(key, keeping: "/"))"
        guard let url = URL(string: "\(access.address)/\(path)") else {
            throw ServiceError(404, "The address of the object is not valid", "Correct the URL")
        }
        return SignedRequest(
            url: url,
            fields: [HeaderField(name: "X-Auth-Token", value: access.token)]
        )
    }

    func forgetCredentials() async -> Bool { await access.forget() }

    /// Asks Swift itself.
    private static func first(
        _ address: String,
        _ user: String,
        _ key: String,
        _ client: TrustedClient
    ) async throws -> KeptCredential<Access>.Dated {
        let answer = try await client.send(
            address,
            [
                HeaderField(name: "X-Auth-User", value: user),
                HeaderField(name: "X-Auth-Key", value: key),
            ]
        )
        let life = answer.value("X-Auth-Token-Expires").flatMap { Double($0) } ?? 3600
        return try dated(
            answer.value("X-Auth-Token"),
            answer.value("X-Storage-Url"),
            Date(timeIntervalSinceNow: min(86_400, max(0, life)))
        )
    }

    /// The question for a token: a user with a password, for a project.
    private static func question(
        _ user: String,
        _ key: String,
        domain: String,
        tenant: String?
    ) -> Data {
        let domain: [String: Any] = ["name": domain]
        let identity: [String: Any] = ["name": user, "password": key, "domain": domain]
        var auth: [String: Any] = [
            "identity": ["methods": ["password"], "password": ["user": identity]] as [String: Any]
        ]
        if let tenant {
            auth["scope"] = ["project": ["name": tenant, "domain": domain] as [String: Any]]
        }
        let object: [String: Any] = ["auth": auth]
        // Strings in dictionaries can always be encoded.
        return (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
    }

    /// Asks Keystone, whose catalogue has the address.
    private static func third(
        _ address: String,
        _ body: Data,
        _ client: TrustedClient
    ) async throws -> KeptCredential<Access>.Dated {
        let answer = try await client.send(
            "\(address)/auth/tokens",
            method: "POST",
            [HeaderField(name: "Content-Type", value: "application/json")],
            body: body
        )
        let token = answer.object["token"] as? [String: Any] ?? [:]
        let services = token["catalog"] as? [[String: Any]] ?? []
        let endpoints = services.filter { $0["type"] as? String == "object-store" }
            .flatMap { $0["endpoints"] as? [[String: Any]] ?? [] }
        let place = endpoints.first { $0["interface"] as? String == "public" }
        let end = (token["expires_at"] as? String).flatMap { TokenFile.date($0) }
        return try dated(
            answer.value("X-Subject-Token"),
            place?["url"] as? String,
            end ?? Date(timeIntervalSinceNow: 3600)
        )
    }

    private static func dated(
        _ token: String?,
        _ address: String?,
        _ end: Date
    ) throws -> KeptCredential<Access>.Dated {
        guard let token, token.isHeaderValue, let address,
            let url = ConfigurationFormat<URL>.webAddress.parse(address)
        else { throw TrustedClient.error("the answer has no token, or no address") }
        return .init(value: Access(token: token, address: url.base), expires: end)
    }
}
