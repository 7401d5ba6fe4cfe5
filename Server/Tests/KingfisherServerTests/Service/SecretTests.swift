import CServerCrypto
import Foundation
import Kingfisher
import Logging
import Synchronization
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Secrets in every kind of failure must not reach logs, traces, metrics or answers.
@Suite(.timeLimit(.minutes(2)))
struct SecretTests {
    /// Part of every secret.
    private static let mark = "c0ffee"
    private static let query = "token=\(mark)1&sig=\(mark)2"
    private static let hidden = "hidden-host.example"
    private static let key = [UInt8](repeating: 7, count: 32)

    /// A failure of a source, whose texts have its whole URL, as those of libraries do.
    private static let faults: [@Sendable (URL) -> AnsweringTransport.Answer] = [
        { _ in .status(500) }, { _ in .status(403) }, { _ in .status(404) },
        { _ in .text("no image c0ffee") },
        { .failure(.invalidRequest(reason: "\($0) is odd", url: $0)) },
        { .failure(.unsupportedScheme("c", url: $0)) },
        { .failure(.cannotResolve(host: $0.host ?? "", url: $0)) },
        { .failure(.cannotConnect(host: $0.host ?? "", reason: "no \($0)", url: $0)) },
        { .failure(.notConnected(host: $0.host ?? "", url: $0)) },
        { .failure(.addressRefused(address: "10.0.0.1", range: .privateUse, url: $0)) },
        { .failure(.tls(.handshake, reason: "no trust in \($0)", url: $0)) },
        { .failure(.timedOut(.total, limit: .seconds(1), url: $0)) },
        { .failure(.tooManyRedirects(limit: 2, url: $0)) },
        { .failure(.redirectLoop(url: $0)) },
        { .failure(.redirectRefused(target: "ftp://c0ffee:c0ffee@b/c0ffee?c0ffee", url: $0)) },
        { .failure(.redirectRefused(target: "data:c0ffee", url: $0)) },
        { .failure(.bodyTooLarge(limit: 5, url: $0)) },
        { .failure(.cannotKeepBody(reason: "full (\($0))", url: $0)) },
        { .failure(.truncatedBody(received: 1, expected: 2, url: $0)) },
        { .failure(.connectionLost(reason: "lost '\($0)'", url: $0)) },
        { .failure(.badResponse(reason: "“\($0)” is no response", url: $0)) },
        { .failure(.noThread(reason: "none for \($0)", url: $0)) },
        { .failure(.rejected(reason: URLError(.badURL, userInfo: ["a": $0]), url: $0)) },
        { .failure(.curl(code: 1, message: "libcurl names \($0)", url: $0)) },
    ]

    /// Source number `index` as it is asked for: the text of the path after the signature.
    private static func paths(_ index: Int) throws -> [String] {
        let source = "http://host\(index).example/a.png?\(query)"
        let base64 = Base64URL.encoded(source.utf8)
        let plain = try #require(
            source.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
        )
        let image = Base64URL.encoded("http://image.example/a.png".utf8)
        let secret = "http://\(hidden)/\(mark)/\(index).png?\(query)"
        return [
            "w:5/plain/\(plain)", "w:5/\(base64)", "info/\(base64)",
            "w:6/wm:0.5/wmu:\(base64)/\(image)",
            "w:7/fiu:\(base64)/\(base64)",
            "w:5/enc/\(try encrypted(secret))",
            "w:5/plain/abs://photos/\(index).png",
        ]
    }

    private static func encrypted(_ text: String) throws -> String {
        let context = try #require(EVP_CIPHER_CTX_new())
        defer { EVP_CIPHER_CTX_free(context) }
        let vector = [UInt8](repeating: 9, count: 16)
        var result = [UInt8](repeating: 0, count: text.utf8.count + 32)
        var (count, rest): (Int32, Int32) = (0, 0)
        let plain = Array(text.utf8)
        result.withUnsafeMutableBufferPointer { buffer in
            EVP_EncryptInit_ex(context, EVP_aes_256_cbc(), nil, key, vector)
            EVP_EncryptUpdate(context, buffer.baseAddress, &count, plain, Int32(plain.count))
            EVP_EncryptFinal_ex(context, buffer.baseAddress.map { $0 + Int(count) }, &rest)
        }
        return Base64URL.encoded(vector + result.prefix(Int(count + rest)))
    }

    /// Answers like the source of a URL, which has the number of its failure.
    private static func answer(_ request: URLRequest) -> AnsweringTransport.Answer {
        guard let url = request.url, let host = url.host else { return .status(400) }
        if host == "image.example" { return .image() }
        if ["sentry.example", "collector.example"].contains(host) { return .status(200) }
        let text = host.hasPrefix("host") ? host.dropFirst(4)[...] : url.lastPathComponent[...]
        let number = Int(text.prefix { $0.isNumber }) ?? 0
        return faults[number](url)
    }

    private static func prepare(_ configuration: inout ServiceConfiguration) throws {
        configuration.urls.encryptionKey = key
        configuration.urls.trustedSignatures = ["\(mark)-signature"]
        configuration.responses.showsErrors = true
        configuration.responses.setsDebugFields = true
        configuration.operation.adminToken = "\(mark)-admin"
        configuration.operation.logLevel = .debug
        configuration.sources.requestHeaders = ["x-key"]
        configuration.sources.customFields = [HeaderField(name: "X-Own", value: "\(mark)-own")]
        configuration.stores.usesAzure = true
        configuration.stores.azureAccount = "shop"
        configuration.stores.azureKey = Data("\(mark)-key".utf8).base64EncodedString()
        configuration.telemetry = try ServiceConfiguration(environment: [
            "IMGPROXY_OPEN_TELEMETRY_ENABLE": "1", "IMGPROXY_OPEN_TELEMETRY_ENABLE_METRICS": "1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example",
            "IMGPROXY_SENTRY_DSN": "https://public@sentry.example/7",
        ]).telemetry
    }

    /// Requests that are refused before a source is loaded.
    private static let refused = [
        "/\(mark)-signature/w:5/plain/http://anna:\(mark)@host/",
        "/_/http://anna:\(mark)@host/?\(query)", "/_/w:5/plain/\(mark)%zz?\(query)",
        "/_/w:5/http%3A%2F%2Fanna:\(mark)@host%2F%3F\(query)",
        "/_/exp:1/plain/http://host/%3F\(query)", "/_/w:5/enc/\(mark)\(mark)",
    ]

    @Test("No log, report, trace, metric or answer shows a secret, whatever fails")
    func planted() async throws {
        let transport = AnsweringTransport(Self.answer)
        let answers = Mutex("")
        let lines = Mutex<(log: LogLines?, metrics: String)>((nil, ""))
        var telemetry = ServiceConfiguration()
        try Self.prepare(&telemetry)
        let prepared = telemetry
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            let (address, isolates) = (
                configuration.connections.address, configuration.operation.isolates
            )
            configuration = prepared
            configuration.connections.address = address
            configuration.operation.isolates = isolates
        }
        try await TestService.run(change, transport: transport) { test async throws in
            let fields = [
                "Authorization": "Bearer \(Self.mark)", "X-Key": "\(Self.mark)-key",
                "Cookie": "a=\(Self.mark)",
            ]
            func ask(_ path: String, _ method: String = "GET") async throws -> Int {
                let reply = try await test.request(path, method: method, fields)
                answers.withLock { $0 += reply.head + reply.text }
                return reply.status
            }
            for index in Self.faults.indices {
                for path in try Self.paths(index) {
                    let status = try await ask("/\(Self.mark)-signature/\(path)")
                    #expect((400..<600).contains(status), "\(index) \(path)")
                }
            }
            for path in Self.refused { #expect(try await ask(path) >= 400) }
            #expect(try await ask("/_/w:5/plain/http://host/", "DELETE") == 403)
            lines.withLock { $0 = (test.log, test.service.registry.text) }
        }
        let signatures = transport.addresses.compactMap { address in
            URLComponents(string: address)?.queryItems?.first { $0.name == "sig" }?.value
        }
        let sent = transport.requests.filter { $0.url?.host == "sentry.example" }
        let spans = transport.requests.filter { $0.url?.host == "collector.example" }
        #expect(signatures.count > Self.faults.count && sent.count > 5 && !spans.isEmpty)
        func text(_ requests: [URLRequest]) -> String {
            requests.map { String(decoding: $0.httpBody ?? Data(), as: UTF8.self) }.joined()
        }
        let (log, metrics) = lines.withLock { $0 }
        let places = [
            "log": log?.text ?? "", "metrics": metrics, "answers": answers.withLock { $0 },
            "reports": text(sent), "spans": text(spans),
        ]
        let base64 = try Self.paths(0)[1].dropFirst(4).prefix(40)
        for (place, text) in places {
            #expect(!text.isEmpty)
            for secret in [Self.mark, Self.hidden, String(base64)] + Set(signatures) {
                let found = text.range(of: secret).map { range in
                    text[..<range.lowerBound].suffix(200) + text[range.lowerBound...].prefix(80)
                }
                #expect(found == nil, "\(place): \(found ?? "")")
            }
        }
        // Hosts and kinds are there.
        #expect(places["log"]?.contains("host7.example") == true)
        #expect(places["log"]?.contains("cannot connect to “host7.example”") == true)
    }
}
