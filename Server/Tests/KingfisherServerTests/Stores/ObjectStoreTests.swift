import Foundation
import KingfisherTesting
import Synchronization
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sources in the stores of Google, Azure and OpenStack, and the tokens for them.
@Suite(.timeLimit(.minutes(2)))
struct ObjectStoreTests {
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
        let found = try await StoreService.statuses(of: ["gs://photos/a/ü.png"], transport) {
            stores in
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
        let found = try await StoreService.statuses(of: sources, transport) { $0.usesGoogle = true }
        #expect(found == [200, 200])
        #expect(count.withLock { $0 } == 1)
    }

    @Test("Another service is asked below its own path, without a token")
    func otherGoogle() async throws {
        let transport = AnsweringTransport { request in
            request.value(forHTTPHeaderField: "Authorization") == nil ? .image() : .status(400)
        }
        let found = try await StoreService.statuses(of: ["gs://photos/a.png"], transport) {
            stores in
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
        let found = try await StoreService.statuses(of: ["abs://photos/a b.png"], transport) {
            stores in
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
        let found = try await StoreService.statuses(of: ["abs://photos/a.png"], transport) {
            stores in
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
        let found = try await StoreService.statuses(of: sources, transport) { stores in
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

    @Test("Containers of Swift can be denied, and others than the allowed ones are refused")
    func deniedContainers() async throws {
        let transport = AnsweringTransport { request in
            guard request.url?.path.hasPrefix("/auth") == true else { return .image() }
            let fields = [
                "X-Auth-Token": "t", "X-Storage-Url": "http://swift.example/v1/AUTH_shop",
            ]
            return .text("", fields)
        }
        let sources = ["swift://photos/a.png", "swift://private/a.png", "swift://other/a.png"]
        let environment = [
            "IMGPROXY_USE_SWIFT": "1", "IMGPROXY_SWIFT_USERNAME": "shop:me",
            "IMGPROXY_SWIFT_API_KEY": "p",
            "IMGPROXY_SWIFT_AUTH_URL": "http://swift.example/auth/v1.0",
        ]
        let rules = [
            ["IMGPROXY_SWIFT_DENIED_BUCKETS": "private"],
            ["IMGPROXY_SWIFT_ALLOWED_BUCKETS": "photos,private"],
        ]
        for (rule, expected) in zip(rules, [[200, 404, 200], [200, 200, 404]]) {
            let all = environment.merging(rule) { $1 }
            let stores = try ServiceConfiguration(environment: all).stores
            let found = try await StoreService.statuses(of: sources, transport) { $0 = stores }
            #expect(found == expected)
        }
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
        let found = try await StoreService.statuses(of: ["swift://photos/a.png"], transport) {
            stores in
            stores.usesSwift = true
            (stores.swiftUser, stores.swiftKey) = ("shop:me", "p")
            stores.swiftAddress = URL(string: "http://swift.example/auth/v1.0")
        }
        #expect(found == [200])
    }
}
