import Foundation
import KingfisherTesting
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sources in S3, and the keys for them.
@Suite(.timeLimit(.minutes(2)))
struct S3Tests {
    private static let temporaryKeys = """
        {"Code": "Success", "AccessKeyId": "ASIA", "SecretAccessKey": "s", "Token": "t/1+=",
        "Expiration": "2099-01-01T00:00:00Z"}
        """

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
        let sources = [
            "s3://open/a.png", "s3://secret/a.png", "s3://other/a.png", "s3://SECRET/a.png",
        ]
        let found = try await StoreService.statuses(of: sources, transport) { stores in
            stores.usesS3 = true
            (stores.s3AccessKey, stores.s3SecretKey) = ("a", "b")
            stores.s3AllowedBuckets = ["open", "secret", "SECRET"]
            stores.s3DeniedBuckets = ["secret"]
        }
        #expect(found == [200, 404, 404, 404])
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
        #expect(
            try await StoreService.statuses(of: sources, transport) { $0.usesS3 = true } == [
                200, 200,
            ]
        )
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
        let found = try await StoreService.statuses(of: ["s3://b/1.png"], transport) { stores in
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
        let found = try await StoreService.statuses(of: ["s3://b/1.png"], transport) { stores in
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
        #expect(
            try await StoreService.statuses(of: sources, transport) { $0.usesS3 = true } == [
                502, 502,
            ]
        )
        #expect(transport.requests.count == 1)
    }
}
