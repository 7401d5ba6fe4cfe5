import Foundation
import HTTPTypes
import Hummingbird
import KingfisherTesting
import Logging
import Synchronization
import Testing
import Tracing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Traces and metrics for a collector.
@Suite(.timeLimit(.minutes(2)))
struct TelemetryTests {
    private static let parent = "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01"

    @Test(
        "The place in a trace is read as the W3C says",
        arguments: [
            (parent, true), ("00-0102030405060708090a0b0c0d0e0f10-0102030405060708-00", true),
            ("01-0102030405060708090a0b0c0d0e0f10-0102030405060708-01-more", true),
            ("00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01-more", false),
            ("ff-0102030405060708090a0b0c0d0e0f10-0102030405060708-01", false),
            ("00-00000000000000000000000000000000-0102030405060708-01", false),
            ("00-0102030405060708090a0b0c0d0e0f10-0000000000000000-01", false),
            ("00-0102030405060708090A0B0C0D0E0F10-0102030405060708-01", false),
            ("00-0102-0102030405060708-01", false), ("", false), ("00---", false),
        ]
    )
    func place(text: String, isValid: Bool) {
        let context = TraceContext(text, state: nil)
        #expect((context != nil) == isValid)
        if text.hasPrefix("00"), let context { #expect(context.text == text) }
    }

    @Test("A share of the traces is kept, and parts of a trace follow its beginning")
    func share() {
        var generator = SystemRandomNumberGenerator()
        let kept = (0..<2000).count { _ in
            TraceContext(share: 0.25, using: &generator).isSampled
        }
        // Seven standard deviations.
        #expect((365...635).contains(kept))
        #expect(!TraceContext(share: 0, using: &generator).isSampled)
        #expect(TraceContext(share: 1, using: &generator).isSampled)
        let spans = Mutex<[EndedSpan]>([])
        let tracer = OTLPTracer(share: 1) { span in spans.withLock { $0.append(span) } }
        var context = ServiceContext.topLevel
        context[TraceContextKey.self] = TraceContext(
            "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-00",
            state: nil
        )
        let span = tracer.startSpan("a", context: context)
        #expect(!span.isRecording)
        span.end()
        #expect(spans.withLock { $0.isEmpty })
    }

    @Test("A request has a span in the client's trace, with its parts one after the other")
    func request() throws {
        let found = Mutex<[EndedSpan]>([])
        let tracer = OTLPTracer(share: 0) { span in found.withLock { $0.append(span) } }
        let spans = try #require(RequestSpans(tracer))
        var head = HTTPRequest(method: .get, scheme: nil, authority: "a", path: "/_/w:5/plain/x")
        head.headerFields[try #require(HTTPField.Name("traceparent"))] = Self.parent
        var record = RequestRecord(client: "1.2.3.4")
        record.times = [.download: .milliseconds(30), .processing: .milliseconds(20)]
        record.error = ServiceError(502, "The source is away", "Wait")
        let request = Request(head: head, body: .init(buffer: .init()))
        spans.add(request, 502, "id", .milliseconds(100), record)
        let ended = found.withLock { $0 }
        #expect(ended.map(\.name) == ["download", "processing", "GET"])
        let (download, processing, whole) = (ended[0], ended[1], ended[2])
        #expect(whole.parent == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(ended.allSatisfy { $0.trace.trace == Array(1...16) })
        #expect(download.parent == whole.trace.span && processing.parent == whole.trace.span)
        #expect(whole.end - whole.start == 100_000_000)
        #expect(download.end == processing.start && processing.end <= whole.end)
        #expect(download.end - download.start == 30_000_000)
        #expect(whole.failure == "The source is away. Wait.")
        #expect(whole.attributes.get("url.path") == .string("/_/w:5"))
        #expect(whole.attributes.get("client.address") == .string("1.2.3.4"))
    }

    @Test("A service sends its spans and metrics to the collector, at the latest when it stops")
    func collector() async throws {
        let collected = Mutex<[(path: String, body: Data)]>([])
        let transport = AnsweringTransport { request in
            guard request.url?.host == "collector.example" else { return .image() }
            let isRight =
                request.httpMethod == "POST"
                && request.value(forHTTPHeaderField: "Content-Type") == "application/x-protobuf"
                && request.value(forHTTPHeaderField: "x-key") == "a b"
            guard isRight else { return .status(400) }
            collected.withLock { $0.append((request.url?.path ?? "", request.httpBody ?? Data())) }
            return .status(200)
        }
        let telemetry = try ServiceConfiguration(environment: [
            "IMGPROXY_OPEN_TELEMETRY_ENABLE": "1", "IMGPROXY_OPEN_TELEMETRY_ENABLE_METRICS": "1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example:4318/base",
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20b", "OTEL_SERVICE_NAME": "shop",
        ]).telemetry
        let change: (inout ServiceConfiguration) -> Void = { $0.telemetry = telemetry }
        try await TestService.run(change, transport: transport) { test async throws in
            let reply = try await test.request(path("http://a.example/b.png", "w:5"))
            #expect(reply.status == 200)
        }
        let sent = collected.withLock { $0 }
        #expect(Set(sent.map(\.path)) == ["/base/v1/traces", "/base/v1/metrics"])
        let traces = sent.filter { $0.path.hasSuffix("traces") }.map(\.body).reduce(Data(), +)
        for text in ["shop", "GET", "download", "processing", "url.path"] {
            #expect(traces.range(of: Data(text.utf8)) != nil, "\(text)")
        }
        let metrics = sent.filter { $0.path.hasSuffix("metrics") }.map(\.body).reduce(Data(), +)
        #expect(metrics.range(of: Data("kf_requests_total".utf8)) != nil)
    }

    @Test("A collector that is away costs a warning, and bounded memory")
    func away() async throws {
        let transport = AnsweringTransport { _ in .status(503) }
        var configuration = ServiceConfiguration()
        configuration.telemetry.isOn = true
        let registry = PrometheusRegistry()
        let log = LogLines()
        let handler = ServiceLog(configuration, output: LogOutput { log.add($0) })
        let exporter = try #require(
            OTLPExporter(
                configuration,
                transport,
                registry,
                Logger(label: "test") { _ in handler }
            )
        )
        for _ in 0..<9000 { exporter.tracer.startSpan("a", context: .topLevel).end() }
        await exporter.flush()
        await exporter.flush()
        handler.flush()
        #expect(log.text.components(separatedBy: "takes no data").count == 2)
        // The spans above the limit, then the older half of the others, because sending failed.
        #expect(registry.text.contains("kf_spans_dropped_total \(9000 - 8192 + 4096)\n"))
    }
}
