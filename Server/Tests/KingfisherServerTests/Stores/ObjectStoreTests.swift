import Foundation
import KingfisherTesting
import Synchronization
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sources in stores of objects, and the keys and tokens for them.
@Suite(.timeLimit(.minutes(2)))
struct ObjectStoreTests {
    /// Asks a service for sources, and returns the statuses.
    private func statuses(
        of sources: [String],
        _ transport: AnsweringTransport,
        _ changeStores: @escaping @Sendable (inout ServiceConfiguration.Stores) -> Void
    ) async throws -> [Int] {
        let statuses = Mutex<[Int]>([])
        let change: (inout ServiceConfiguration) -> Void = { changeStores(&$0.stores) }
        try await TestService.run(change, transport: transport) { test async throws in
            for source in sources {
                let status = try await test.request(path(source, "w:5")).status
                statuses.withLock { $0.append(status) }
            }
        }
        return statuses.withLock { $0 }
    }

    private static let temporaryKeys = """
        {"Code": "Success", "AccessKeyId": "ASIA", "SecretAccessKey": "s", "Token": "t/1+=",
        "Expiration": "2099-01-01T00:00:00Z"}
        """

    // MARK: Amazon

    @Test("Requests for S3 are signed as in Amazon's example")
    func signature() throws {
        let keys = AmazonKeys(
            access: "AKIAIOSFODNN7EXAMPLE",
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        )
        let fields = AmazonSignature(keys: keys, region: "us-east-1", service: "s3").fields(
            host: "examplebucket.s3.amazonaws.com",
            path: "/test.txt",
            at: Date(timeIntervalSince1970: 1_369_353_600),
            extra: [HeaderField(name: "Range", value: "bytes=0-9")]
        )
        let signature = "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        #expect(fields.last?.value.hasSuffix("Signature=\(signature)") == true)
    }

    /// The expected signature was computed by a separate program.
    @Test("A form with temporary keys is signed with its body")
    func signatureOfForm() {
        let body =
            "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr"
            + "&RoleSessionName=kf-serve"
        let keys = AmazonKeys(access: "a", secret: "secret", token: "t")
        let fields = AmazonSignature(keys: keys, region: "eu-west-1", service: "sts").fields(
            method: "POST",
            host: "sts.example",
            path: "/",
            body: Data(body.utf8),
            at: Date(timeIntervalSince1970: 1_369_353_600),
            extra: [HeaderField(name: "Content-Type", value: TrustedClient.formType)]
        )
        let signature = "9227cd276efea8393caab8ff2dbd71d408b7426a576ad645ebae2ae6f3da1616"
        #expect(fields.last?.value.hasSuffix("Signature=\(signature)") == true)
    }

    @Test(
        "The bucket is in the host of Amazon, and in the path or host of another service",
        arguments: [
            (nil, true, "https://b.s3.eu-west-1.amazonaws.com/a%20b/%C3%BC.png"),
            ("http://s3.example:9000/x/", true, "http://s3.example:9000/x/b/a%20b/%C3%BC.png"),
            ("http://s3.example:9000", false, "http://b.s3.example:9000/a%20b/%C3%BC.png"),
        ] as [(String?, Bool, String)]
    )
    func addresses(endpoint: String?, isInPath: Bool, expected: String) throws {
        var stores = ServiceConfiguration.Stores()
        stores.awsRegion = "eu-west-1"
        stores.s3Endpoint = endpoint.flatMap { URL(string: $0) }
        stores.putsBucketInPath = isInPath
        let client = TrustedClient(transport: FakeTransport(), timeout: .seconds(1))
        let request = try S3Storage(stores, client).request(
            bucket: "b",
            key: "a b/ü.png",
            with: AmazonKeys(access: "a", secret: "b"),
            at: Date()
        )
        #expect(request.url.absoluteString == expected)
    }

    @Test("Only the allowed buckets are read")
    func buckets() async throws {
        let transport = AnsweringTransport { _ in .image() }
        let sources = ["s3://open/a.png", "s3://secret/a.png", "s3://other/a.png"]
        let found = try await statuses(of: sources, transport) { stores in
            stores.usesS3 = true
            (stores.s3AccessKey, stores.s3SecretKey) = ("a", "b")
            (stores.s3AllowedBuckets, stores.s3DeniedBuckets) = (["open", "secret"], ["secret"])
        }
        #expect(found == [200, 404, 404])
        #expect(transport.requests.count == 1)
    }

    @Test("The keys of a machine's role are asked for once")
    func machine() async throws {
        let transport = AnsweringTransport { request in
            let token = request.value(forHTTPHeaderField: "X-aws-ec2-metadata-token")
            switch (request.httpMethod, request.url?.path ?? "") {
            case ("PUT", "/latest/api/token"):
                let life = request.value(
                    forHTTPHeaderField: "X-aws-ec2-metadata-token-ttl-seconds"
                )
                return life == nil ? .status(400) : .text("session")
            case ("GET", "/latest/meta-data/iam/security-credentials") where token == "session":
                return .text("role\n")
            case ("GET", "/latest/meta-data/iam/security-credentials/role")
            where token == "session":
                return .text(Self.temporaryKeys)
            case ("GET", let path) where request.url?.host?.hasPrefix("b.s3.") == true:
                #expect(path.hasSuffix(".png"))
                let field = request.value(forHTTPHeaderField: "x-amz-security-token")
                return field == "t/1+=" ? .image() : .status(403)
            default: return .status(404)
            }
        }
        let sources = ["s3://b/1.png", "s3://b/2.png"]
        #expect(try await statuses(of: sources, transport) { $0.usesS3 = true } == [200, 200])
        #expect(transport.requests.count == 5)
        #expect(transport.addresses.first == "http://169.254.169.254/latest/api/token")
    }

    @Test("A container asks its own address, with the token of a file")
    func container() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("Bearer x\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = AnsweringTransport { request in
            guard request.url?.host == "169.254.170.23" else { return .image() }
            let field = request.value(forHTTPHeaderField: "Authorization")
            return field == "Bearer x" ? .text(Self.temporaryKeys) : .status(401)
        }
        let found = try await statuses(of: ["s3://b/1.png"], transport) { stores in
            stores.usesS3 = true
            stores.awsContainerAddress = URL(string: "http://169.254.170.23/v1/credentials")
            stores.awsContainerTokenFile = file.path
        }
        #expect(found == [200])
        #expect(transport.requests.count == 2)
    }

    private static func assumed(_ access: String) -> String {
        """
        <AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>\(access)</AccessKeyId>
        <SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>
        <Expiration>2099-01-01T00:00:00.000Z</Expiration></Credentials></AssumeRoleResult>
        </AssumeRoleResponse>
        """
    }

    @Test("The token of a workload stands for a role, whose keys stand for another role")
    func roles() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("j.w.t".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = AnsweringTransport { request in
            let form = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
            let signed = request.value(forHTTPHeaderField: "Authorization") ?? ""
            guard request.url?.host == "sts.example" else {
                return signed.contains("Credential=SECOND/") ? .image() : .status(403)
            }
            if form.contains("Action=AssumeRoleWithWebIdentity&") {
                let isRight = form.hasSuffix(
                    "RoleArn=one&RoleSessionName=me&WebIdentityToken=j.w.t"
                )
                return isRight && signed.isEmpty ? .text(Self.assumed("FIRST")) : .status(403)
            }
            let isRight = form.hasSuffix("RoleArn=two&RoleSessionName=me&ExternalId=id%261")
            let isSigned = signed.contains("Credential=FIRST/") && signed.contains("/sts/")
            return isRight && isSigned ? .text(Self.assumed("SECOND")) : .status(403)
        }
        let found = try await statuses(of: ["s3://b/1.png"], transport) { stores in
            stores.usesS3 = true
            (stores.awsRole, stores.awsTokenFile) = ("one", file.path)
            (stores.s3Role, stores.s3RoleExternalID) = ("two", "id&1")
            stores.awsSessionName = "me"
            stores.awsTokenService = URL(string: "https://sts.example")
        }
        #expect(found == [200])
        #expect(transport.requests.count == 3)
    }

    @Test("Keys that cannot be had are an error of the gateway, which is not asked again at once")
    func withoutKeys() async throws {
        let transport = AnsweringTransport { _ in .status(404) }
        let sources = ["s3://b/1.png", "s3://b/2.png"]
        #expect(try await statuses(of: sources, transport) { $0.usesS3 = true } == [502, 502])
        #expect(transport.requests.count == 1)
    }

    // MARK: Google

    private static let account: String = {
        let object = [
            "type": "service_account", "client_email": "me@example.com", "private_key_id": "k1",
            "private_key": TestKey.secret,
        ]
        let data = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }()

    @Test("The key of a service account signs the token of requests for Google")
    func serviceAccount() async throws {
        let transport = AnsweringTransport { request in
            let field = request.value(forHTTPHeaderField: "Authorization") ?? ""
            let parts = field.dropFirst("Bearer ".count).split(separator: ".")
            guard field.hasPrefix("Bearer "), parts.count == 3,
                let claims = Base64URL.decoded(parts[1]),
                let signature = Base64URL.decoded(parts[2]),
                TestKey.accepts(signature, for: "\(parts[0]).\(parts[1])"),
                let object = try? JSONSerialization.jsonObject(with: Data(claims))
                    as? [String: Any],
                object["iss"] as? String == "me@example.com",
                let start = object["iat"] as? Double, let end = object["exp"] as? Double,
                end - start <= 3600, end > Date().timeIntervalSince1970
            else { return .status(403) }
            return .image()
        }
        let found = try await statuses(of: ["gs://photos/a/ü.png"], transport) { stores in
            stores.usesGoogle = true
            stores.googleKey = Self.account
        }
        #expect(found == [200])
        let path = "/storage/v1/b/photos/o/a%2F%C3%BC.png?alt=media"
        #expect(transport.addresses == ["https://storage.googleapis.com\(path)"])
    }

    @Test("The token of a machine's account is asked for once")
    func machineOfGoogle() async throws {
        let count = Mutex(0)
        let transport = AnsweringTransport { request in
            guard request.url?.host == "metadata.google.internal" else {
                let field = request.value(forHTTPHeaderField: "Authorization")
                return field == "Bearer t1" ? .image() : .status(401)
            }
            guard request.value(forHTTPHeaderField: "Metadata-Flavor") == "Google" else {
                return .status(403)
            }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .text(#"{"access_token": "t\#(number)", "expires_in": 3599}"#)
        }
        let sources = ["gs://photos/a.png", "gs://photos/b.png"]
        let found = try await statuses(of: sources, transport) { $0.usesGoogle = true }
        #expect(found == [200, 200])
        #expect(count.withLock { $0 } == 1)
    }

    @Test("Another service is asked below its own path, without a token")
    func otherGoogle() async throws {
        let transport = AnsweringTransport { request in
            request.value(forHTTPHeaderField: "Authorization") == nil ? .image() : .status(400)
        }
        let found = try await statuses(of: ["gs://photos/a.png"], transport) { stores in
            stores.usesGoogle = true
            stores.googleEndpoint = URL(string: "http://gcs.example:4443")
        }
        #expect(found == [200])
        let address = "http://gcs.example:4443/storage/v1/b/photos/o/a.png?alt=media"
        #expect(transport.addresses == [address])
    }

    // MARK: Azure

    /// The expected signature was computed by a separate program.
    @Test("The key of a storage account signs the address of a blob for an hour")
    func signatureOfBlob() throws {
        var stores = ServiceConfiguration.Stores()
        (stores.azureAccount, stores.azureKey) = ("account", "MDEyMzQ1Njc4OWFiY2RlZg==")
        let client = TrustedClient(transport: FakeTransport(), timeout: .seconds(1))
        let storage = try AzureStorage(stores, client)
        let key = Array("0123456789abcdef".utf8)
        for time in ["2026-01-31T12:00:00Z", "2026-01-31T12:59:59Z"] {
            let date = try #require(TokenFile.date(time))
            let query = storage.query(for: "photos/a b/ü.png", with: key, at: date)
            #expect(
                query == "sv=2021-06-08&sr=b&sp=r&se=2026-01-31T14%3A00%3A00Z"
                    + "&sig=BL0FKodnRWXqrsn04Ur9QnYF78lqUFBgVkLFPdnC3JM%3D"
            )
        }
    }

    @Test("A blob is loaded by its signed address")
    func blob() async throws {
        let transport = AnsweringTransport { request in
            let query = request.url?.query ?? ""
            return query.contains("&sig=") && query.hasPrefix("sv=") ? .image() : .status(403)
        }
        let found = try await statuses(of: ["abs://photos/a b.png"], transport) { stores in
            stores.usesAzure = true
            (stores.azureAccount, stores.azureKey) = ("account", "MDEyMzQ1Njc4OWFiY2RlZg==")
        }
        #expect(found == [200])
        let start = "https://account.blob.core.windows.net/photos/a%20b.png?sv="
        #expect(transport.addresses.first?.hasPrefix(start) == true)
    }

    @Test("Without a key, an identity gives a token for Azure", arguments: ["secret", "file", ""])
    func identity(of kind: String) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("j.w.t".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = AnsweringTransport { request in
            let form = String(decoding: request.httpBody ?? Data(), as: UTF8.self)
            let token = #"{"access_token": "t", "expires_in": "3599"}"#
            switch request.url?.host {
            case "login.example":
                let isRight =
                    form.contains("grant_type=client_credentials&client_id=me&scope=https%3A%2F%2F")
                    && form.hasSuffix(
                        kind == "file" ? "&client_assertion=j.w.t" : "&client_secret=s%26"
                    )
                return isRight && request.url?.path == "/tenant/oauth2/v2.0/token"
                    ? .text(token) : .status(400)
            case "169.254.169.254":
                let isRight = request.value(forHTTPHeaderField: "Metadata") == "true"
                return isRight && kind.isEmpty ? .text(token) : .status(400)
            default:
                let isRight = request.value(forHTTPHeaderField: "Authorization") == "Bearer t"
                let version = request.value(forHTTPHeaderField: "x-ms-version")
                return isRight && version == "2021-06-08" ? .image() : .status(403)
            }
        }
        let found = try await statuses(of: ["abs://photos/a.png"], transport) { stores in
            stores.usesAzure = true
            stores.azureAccount = "account"
            stores.azureAuthority = URL(string: "https://login.example/")
            guard !kind.isEmpty else { return }
            (stores.azureTenant, stores.azureClient) = ("tenant", "me")
            if kind == "secret" { stores.azureSecret = "s&" }
            if kind == "file" { stores.azureTokenFile = file.path }
        }
        #expect(found == [200])
        #expect(transport.requests.count == 2)
    }

    // MARK: Swift

    @Test("Keystone gives a token, and the address of the containers")
    func keystone() async throws {
        let transport = AnsweringTransport { request in
            guard request.url?.host == "keystone.example" else {
                let token = request.value(forHTTPHeaderField: "X-Auth-Token")
                return token == "t" ? .image() : .status(401)
            }
            let question =
                (try? JSONSerialization.jsonObject(with: request.httpBody ?? Data()))
                as? [String: Any]
            func object(_ names: String...) -> [String: Any]? {
                names.reduce(question) { $0?[$1] as? [String: Any] }
            }
            let user = object("auth", "identity", "password", "user")
            let domain = object("auth", "identity", "password", "user", "domain")
            let project = object("auth", "scope", "project")
            let isRight =
                request.httpMethod == "POST" && request.url?.path == "/v3/auth/tokens"
                && user?["name"] as? String == "me" && user?["password"] as? String == "p"
                && domain?["name"] as? String == "Default"
                && project?["name"] as? String == "shop"
            let catalog = """
                {"token": {"expires_at": "2099-01-01T00:00:00.000000Z", "catalog": [
                {"type": "identity", "endpoints": []}, {"type": "object-store", "endpoints": [
                {"interface": "internal", "url": "http://inside.example/v1"},
                {"interface": "public", "url": "https://swift.example/v1/AUTH_1/"}]}]}}
                """
            return isRight ? .text(catalog, ["X-Subject-Token": "t"]) : .status(401)
        }
        let sources = ["swift://photos/a/ü.png", "swift://photos/b.png"]
        let found = try await statuses(of: sources, transport) { stores in
            stores.usesSwift = true
            (stores.swiftUser, stores.swiftKey, stores.swiftTenant) = ("me", "p", "shop")
            stores.swiftAddress = URL(string: "https://keystone.example/v3")
        }
        #expect(found == [200, 200])
        #expect(
            transport.addresses == [
                "https://keystone.example/v3/auth/tokens",
                "https://swift.example/v1/AUTH_1/photos/a/%C3%BC.png",
                "https://swift.example/v1/AUTH_1/photos/b.png",
            ]
        )
    }

    @Test("Swift's own version 1 gives a token, too")
    func firstVersion() async throws {
        let transport = AnsweringTransport { request in
            guard request.url?.path == "/auth/v1.0" else {
                let token = request.value(forHTTPHeaderField: "X-Auth-Token")
                return token == "t" ? .image() : .status(401)
            }
            let isRight =
                request.value(forHTTPHeaderField: "X-Auth-User") == "shop:me"
                && request.value(forHTTPHeaderField: "X-Auth-Key") == "p"
            let fields = [
                "X-Auth-Token": "t", "X-Storage-Url": "http://swift.example/v1/AUTH_shop",
                "X-Auth-Token-Expires": "3000",
            ]
            return isRight ? .text("", fields) : .status(401)
        }
        let found = try await statuses(of: ["swift://photos/a.png"], transport) { stores in
            stores.usesSwift = true
            (stores.swiftUser, stores.swiftKey) = ("shop:me", "p")
            stores.swiftAddress = URL(string: "http://swift.example/auth/v1.0")
        }
        #expect(found == [200])
    }
}
