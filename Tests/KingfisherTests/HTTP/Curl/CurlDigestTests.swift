import CKFCrypto
import Foundation
import Kingfisher
import TestSupport
import Testing

/// HTTP Digest (RFC 7616), checked by a server that computes the hashes independently.
@Suite(.timeLimit(.minutes(1)))
struct CurlDigestTests {
    enum Algorithm: String, CaseIterable {
        case md5 = "MD5"
        case sha256 = "SHA-256"

        func hash(_ text: String) -> String {
            let algorithm =
                switch self {
                case .md5: EVP_md5()
                case .sha256: EVP_sha256()
                }
            var count: UInt32 = 0
            var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
            let bytes = Array(text.utf8)
            EVP_Digest(bytes, bytes.count, &digest, &count, algorithm, nil)
            digest.removeLast(digest.count - Int(count))
            return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    let server: ImageServer
    let transport = CurlTransport()
    let body = Data("a picture".utf8)

    init() throws {
        server = try ImageServer()
    }

    /// Requires the password of the user `me` and verifies every response.
    private func protect(_ algorithm: Algorithm) {
        let reply = ServerReply.body(body)
        let question =
            "Digest realm=\"vault\", nonce=\"n0nce\", qop=\"auth\", algorithm=\(algorithm.rawValue)"
        server.route("/a") { request in
            let proof = request.value(for: "Authorization") ?? ""
            let isRight = Self.proves(proof, "me", "pw", request, algorithm)
            return isRight ? reply : .status(401, fields: [("WWW-Authenticate", question)])
        }
    }

    private static func proves(
        _ proof: String,
        _ user: String,
        _ password: String,
        _ request: ServerRequest,
        _ algorithm: Algorithm
    ) -> Bool {
        guard proof.hasPrefix("Digest ") else { return false }
        var fields: [String: String] = [:]
        for part in proof.dropFirst(7).split(separator: ",") {
            let sides = part.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: " \""))
            }
            if sides.count == 2 { fields[sides[0]] = sides[1] }
        }
        let secret = algorithm.hash("\(user):vault:\(password)")
        let what = algorithm.hash("\(request.method):\(request.target)")
        let expected = algorithm.hash(
            [
                secret, "n0nce", fields["nc"] ?? "", fields["cnonce"] ?? "", "auth", what,
            ].joined(separator: ":")
        )
        return fields["username"] == user && fields["response"] == expected
    }

    private func recorder(_ password: String, tries: Int = 3) -> TransferRecorder {
        TransferRecorder(challenge: { challenge, reply in
            let goesOn = challenge.scheme == .digest && challenge.previousFailureCount < tries
            reply(goesOn ? TransferCredential(user: "me", password: password) : nil)
        })
    }

    @Test(arguments: Algorithm.allCases)
    func `the right password opens, and is never sent itself`(algorithm: Algorithm) async {
        protect(algorithm)
        let outcome = await transport.load(server.url("/a"), recorder: recorder("pw"))
        #expect(outcome.response?.statusCode == 200)
        #expect(outcome.hasBody(body))
        let sent = server.requests.compactMap { $0.value(for: "Authorization") }
        let secret = Data("me:pw".utf8).base64EncodedString()
        #expect(sent.allSatisfy { !$0.contains("pw") && !$0.contains(secret) })
    }

    @Test func `a wrong password is asked about again, and the 401 is the answer in the end`()
        async
    {
        protect(.md5)
        let recorder = recorder("wrong", tries: 2)
        let outcome = await transport.load(server.url("/a"), recorder: recorder)
        #expect(outcome.response?.statusCode == 401)
        #expect(recorder.events.filter { $0 == .challenge("vault") }.count == 3)
    }

    @Test func `Digest is taken where Basic is offered beside it`() async {
        let offers = [
            ("WWW-Authenticate", "Basic realm=\"weak\""),
            ("WWW-Authenticate", "Digest realm=\"vault\", nonce=\"n\", qop=\"auth\""),
        ]
        server.route("/a", .status(401, fields: offers))
        let recorder = TransferRecorder()
        _ = await transport.load(server.url("/a"), recorder: recorder)
        #expect(recorder.events.contains(.challenge("vault")))
        #expect(!recorder.events.contains(.challenge("weak")))
    }
}
