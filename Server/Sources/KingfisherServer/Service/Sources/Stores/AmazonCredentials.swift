import Foundation
import Kingfisher

/// Finds the keys for S3, in the order of Amazon's own libraries: those of the configuration, of the
/// role of a workload, of a container, of a virtual machine.
///
/// Where the configuration names a role, they are exchanged for its keys.
struct AmazonCredentials: Sendable {
    private typealias Dated = KeptCredential<AmazonKeys>.Dated

    private let configuration: ServiceConfiguration.Stores
    private let client: TrustedClient

    /// Makes a finder.
    init(_ configuration: ServiceConfiguration.Stores, _ client: TrustedClient) {
        (self.configuration, self.client) = (configuration, client)
    }

    /// The keys, asked for when they are needed.
    var keys: KeptCredential<AmazonKeys> {
        let own = KeptCredential { try await ownKeys() }
        guard let role = configuration.s3Role else { return own }
        return KeptCredential { try await keys(of: role, with: own.value()) }
    }

    private func ownKeys() async throws -> Dated {
        if let access = configuration.s3AccessKey, let secret = configuration.s3SecretKey {
            let keys = AmazonKeys(
                access: access,
                secret: secret,
                token: configuration.s3SessionToken
            )
            return Dated(value: keys, expires: .distantFuture)
        }
        if let role = configuration.awsRole, let file = configuration.awsTokenFile {
            return try await workloadKeys(role, file)
        }
        if let address = containerAddress { return try await containerKeys(address) }
        guard !configuration.ignoresAWSMetadata else {
            throw TrustedClient.error("AWS_ACCESS_KEY_ID is not set, and there is no role")
        }
        return try await machineKeys()
    }

    // MARK: Roles

    private func keys(of role: String, with keys: AmazonKeys) async throws -> Dated {
        var form = [
            ("Action", "AssumeRole"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", configuration.awsSessionName),
        ]
        if let identifier = configuration.s3RoleExternalID {
            form.append(("ExternalId", identifier))
        }
        guard let url = URL(string: tokenService), let host = url.authority else {
            throw TrustedClient.error("AWS_ENDPOINT_URL_STS is not valid")
        }
        let signature = AmazonSignature(
            keys: keys,
            region: configuration.regionOfS3,
            service: "sts"
        )
        let type = HeaderField(name: "Content-Type", value: TrustedClient.formType)
        let body = Data(TrustedClient.text(of: form).utf8)
        let fields = signature.fields(
            method: "POST",
            host: host,
            path: url.textOfPath,
            body: body,
            at: Date(),
            extra: [type]
        )
        return try Self.keys(
            try await client.send(tokenService, method: "POST", fields, body: body)
        )
    }

    private func workloadKeys(_ role: String, _ file: String) async throws -> Dated {
        let form = [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", configuration.awsSessionName),
            ("WebIdentityToken", try TokenFile.text(file)),
        ]
        return try Self.keys(try await client.post(tokenService, form: form))
    }

    private var tokenService: String {
        configuration.awsTokenService.map { "\($0.base)/" }
            ?? "https://sts.\(configuration.regionOfS3).amazonaws.com/"
    }

    /// The keys in the XML of the token service, whose values need no decoding.
    private static func keys(_ answer: TrustedClient.Answer) throws -> Dated {
        let text = String(decoding: answer.body, as: UTF8.self)
        func value(_ name: String) -> String? {
            guard let start = text.range(of: "<\(name)>")?.upperBound,
                let end = text.range(of: "</\(name)>", range: start..<text.endIndex)?.lowerBound
            else { return nil }
            return String(text[start..<end])
        }
        return try dated(
            value("AccessKeyId"),
            value("SecretAccessKey"),
            value("SessionToken"),
            value("Expiration")
        )
    }

    // MARK: Machines

    private var containerAddress: String? {
        configuration.awsContainerPath.map { "http://169.254.170.2\($0)" }
            ?? configuration.awsContainerAddress?.absoluteString
    }

    private func containerKeys(_ address: String) async throws -> Dated {
        let token = try configuration.awsContainerTokenFile.map { try TokenFile.text($0) }
        let fields = (token ?? configuration.awsContainerToken).map {
            [HeaderField(name: "Authorization", value: $0)]
        }
        return try Self.keys(ofObject: try await client.send(address, fields ?? []))
    }

    private func machineKeys() async throws -> Dated {
        let base = configuration.awsMetadataAddress?.base ?? "http://169.254.169.254"
        let life = HeaderField(name: "X-aws-ec2-metadata-token-ttl-seconds", value: "21600")
        let session = try await client.send("\(base)/latest/api/token", method: "PUT", [life])
        let token = String(decoding: session.body, as: UTF8.self).trimmed
        guard token.isHeaderValue else { throw TrustedClient.error("the token is malformed") }
        let field = HeaderField(name: "X-aws-ec2-metadata-token", value: token)
        let roles = "\(base)/latest/meta-data/iam/security-credentials/"
        let names = try await client.send(roles, [field])
        let name =
            String(decoding: names.body, as: UTF8.self)
            .textLines.lazy.map(\.trimmed).first { !$0.isEmpty } ?? ""
        guard !name.isEmpty else { throw TrustedClient.error("the machine has no role") }
        let path = PercentEncoding.encoded(name, keeping: "")
        return try Self.keys(ofObject: try await client.send("\(roles)\(path)", [field]))
    }

    private static func keys(ofObject answer: TrustedClient.Answer) throws -> Dated {
        let object = answer.object
        func value(_ name: String) -> String? { object[name] as? String }
        return try dated(
            value("AccessKeyId"),
            value("SecretAccessKey"),
            value("Token"),
            value("Expiration")
        )
    }

    private static func dated(
        _ access: String?,
        _ secret: String?,
        _ token: String?,
        _ expires: String?
    ) throws -> Dated {
        guard let access, let secret, access.isHeaderValue, token?.isHeaderValue != false else {
            throw TrustedClient.error("the answer has no keys")
        }
        let end = expires.flatMap { TokenFile.date($0) } ?? Date(timeIntervalSinceNow: 600)
        return Dated(
            value: AmazonKeys(access: access, secret: secret, token: token),
            expires: end
        )
    }
}

/// Reads what platforms provide beside answers.
enum TokenFile {
    /// The text of a file with a token, which the platform replaces from time to time.
    ///
    /// - Throws: ``ServiceError`` 502 if it cannot be read.
    static func text(_ path: String) throws(ServiceError) -> String {
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(data: data, encoding: .utf8)?
                .trimmingCharacters(in: .whitespacesAndNewlines),
            !text.isEmpty, text.isHeaderValue
        else { throw TrustedClient.error("the file \(path) cannot be read") }
        return text
    }

    /// The time in a text such as `2026-01-31T12:00:00Z` or `2026-01-31T12:00:00.123456Z`.
    static func date(_ text: String) -> Date? {
        guard text.utf8.count >= 19 else { return nil }
        return try? Date("\(text.prefix(19))Z", strategy: .iso8601)
    }
}
