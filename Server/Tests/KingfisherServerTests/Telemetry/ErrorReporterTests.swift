import Foundation
import Kingfisher
import KingfisherTesting
import Logging
import Synchronization
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Reports of failures.
@Suite(.timeLimit(.minutes(2)))
struct ErrorReporterTests {
    @Test(
        "The address of a project has a key, and perhaps a path before its number",
        arguments: [
            ("https://abc@o1.sentry.example/7", "https://o1.sentry.example/api/7/envelope/"),
            ("http://abc@host:9000/a/b/7", "http://host:9000/a/b/api/7/envelope/"),
        ]
    )
    func address(text: String, expected: String) throws {
        let address = try ErrorReporter.Address(of: #require(URL(string: text)))
        #expect(address.envelopes == expected)
        #expect(address.key == "abc")
    }

    /// What a server of Sentry reads: lines of JSON.
    private static func lines(of request: URLRequest) -> [[String: Any]] {
        (request.httpBody ?? Data()).split(separator: UInt8(ascii: "\n")).compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0))) as? [String: Any]
        }
    }

    @Test("A failure of a source is reported once, with its request and without its query")
    func reported() async throws {
        let transport = AnsweringTransport { request in
            request.url?.host == "sentry.example" ? .status(200) : .status(500)
        }
        let change: (inout ServiceConfiguration) -> Void = { configuration in
            configuration.telemetry.sentryAddress = URL(string: "https://abc@sentry.example/7")
            configuration.telemetry.sentryRelease = "shop@1"
        }
        try await TestService.run(change, transport: transport) { test async throws in
            for name in ["a", "b"] {
                let source = "http://broken.example/\(name).png?secret=1"
                #expect(try await test.request(path(source, "w:5")).status == 502)
            }
            #expect(try await test.request("/_/nonsense").status == 404)
        }
        let reports = transport.requests.filter { $0.url?.host == "sentry.example" }
        #expect(reports.count == 1)
        let report = try #require(reports.first)
        #expect(report.url?.absoluteString == "https://sentry.example/api/7/envelope/")
        let auth = try #require(report.value(forHTTPHeaderField: "X-Sentry-Auth"))
        #expect(auth.hasPrefix("Sentry ") && auth.contains("sentry_version=7"))
        #expect(auth.contains("sentry_key=abc"))
        let lines = Self.lines(of: report)
        #expect(lines.count == 3)
        #expect(lines[1]["type"] as? String == "event")
        let event = lines[2]
        #expect(event["event_id"] as? String == lines[0]["event_id"] as? String)
        #expect((event["event_id"] as? String)?.count == 32)
        #expect(event["release"] as? String == "shop@1")
        #expect(event["environment"] as? String == "production")
        let exceptions = (event["exception"] as? [String: Any])?["values"] as? [[String: Any]]
        #expect(exceptions?.first?["type"] as? String == "502")
        #expect((event["request"] as? [String: Any])?["url"] as? String == "/unsafe/w:5")
        let source = (event["tags"] as? [String: Any])?["source"] as? String
        #expect(source == "http://broken.example/a.png?…")
    }

    private static func report(_ status: Int, _ host: Int) -> ErrorReporter.Report {
        .init(
            error: ServiceError(status, "a", "b"),
            request: "id",
            method: "GET",
            path: "/",
            source: "http://host\(host).example/"
        )
    }

    @Test("Reports are bounded, and those of sources can be left out")
    func bounded() async throws {
        let transport = AnsweringTransport { _ in .status(429) }
        var configuration = ServiceConfiguration()
        configuration.telemetry.sentryAddress = URL(string: "https://abc@sentry.example/7")
        let log = LogLines()
        let handler = ServiceLog(configuration, output: LogOutput { log.add($0) })
        let logger = Logger(label: "test") { _ in handler }
        let reporter = try #require(try ErrorReporter(configuration, transport, logger))
        for host in 0..<300 { reporter.add(Self.report(502, host)) }
        await reporter.flush()
        #expect(transport.requests.count == 100)
        handler.flush()
        #expect(log.text.components(separatedBy: "takes no data").count == 2)
        configuration.telemetry.reportsSources = false
        let other = try #require(try ErrorReporter(configuration, transport, logger))
        for status in [404, 500, 502, 504] { other.add(Self.report(status, 0)) }
        await other.flush()
        #expect(transport.requests.count == 101)
    }
}
