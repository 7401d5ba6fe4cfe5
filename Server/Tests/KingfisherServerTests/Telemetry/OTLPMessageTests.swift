import Testing
import Tracing

@testable import KingfisherServer

/// The bytes of messages for a collector.
///
/// The expected bytes were made by OpenTelemetry's own classes for Python, from the same values.
struct OTLPMessageTests {
    private static let context = TraceContext(
        "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01",
        state: "a=b"
    )

    @Test("Spans have the bytes of OpenTelemetry's own writer")
    func spans() throws {
        let trace = try #require(Self.context)
        var link = trace
        link.span = Array(9...16)
        var span = EndedSpan(
            trace: trace,
            parent: Array(9...16),
            name: "GET",
            kind: .server,
            start: 1_700_000_000_000_000_001,
            end: 1_700_000_000_500_000_000
        )
        span.attributes.set("bool", value: .bool(false))
        span.attributes.set("double", value: .double(0.5))
        span.attributes.set("int", value: .int64(-3))
        span.attributes.set("list", value: .int64Array([1, 300]))
        span.attributes.set("text", value: .string(""))
        span.events = [
            SpanEvent(
                name: "event",
                at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 5),
                attributes: ["a": .string("ü")]
            )
        ]
        span.links = [link]
        span.failure = "broken"
        var part = trace
        (part.span, part.state) = (Array(2...9), "")
        let other = EndedSpan(
            trace: part,
            parent: nil,
            name: "queue",
            kind: .internal,
            start: 1,
            end: 2
        )
        let bytes = OTLPMessages.traces([span, other], of: "images")
        #expect(Hexadecimal.text(of: bytes) == Self.expectedSpans)
    }

    @Test(
        arguments: zip(
            ["kf_times_seconds", "kf_sent_bytes_total", "kf_seconds_of_work"],
            ["1a0173", "1a024279", ""]
        )
    )
    func `a metric has the unit that its name ends with`(name: String, field: String) {
        let reading = MetricReading(name: name, help: "", type: "gauge", values: [])
        let bytes = OTLPMessages.metrics([reading], since: 10, at: 20, of: "images")
        // The fields of the metric: its name, its unit, and no values of a gauge.
        let title = Hexadecimal.text(of: [0x0A, UInt8(name.utf8.count)] + Array(name.utf8))
        #expect(Hexadecimal.text(of: bytes).hasSuffix("\(title)\(field)2a00"))
    }

    @Test("Metrics have the bytes of OpenTelemetry's own writer")
    func metrics() {
        let readings = [
            MetricReading(
                name: "count",
                help: "Help.",
                type: "counter",
                values: [([("status", "a")], .number(3)), ([("status", "b")], .number(0))]
            ),
            MetricReading(name: "gauge", help: "", type: "gauge", values: [([], .number(1.5))]),
            MetricReading(
                name: "times",
                help: "",
                type: "histogram",
                values: [
                    (
                        [("stage", "queue")],
                        .histogram(bounds: [0.5, 1], counts: [1, 2, 0], sum: 2.25)
                    )
                ]
            ),
        ]
        let bytes = OTLPMessages.metrics(readings, since: 10, at: 20, of: "images")
        #expect(Hexadecimal.text(of: bytes) == Self.expectedMetrics)
    }

    private static let expectedSpans =
        "0ac8020a1a0a180a0c736572766963652e6e616d6512080a06696d6167657312a9020a0a"
        + "0a086b662d736572766512e1010a100102030405060708090a0b0c0d0e0f101208010203"
        + "04050607081a03613d622208090a0b0c0d0e0f102a0347455430023901002a36fe9c9717"
        + "410065f753fe9c97174a0a0a04626f6f6c120210004a130a06646f75626c651209210000"
        + "00000000e03f4a120a03696e74120b18fdffffffffffffffff014a130a046c697374120b"
        + "2a090a0218010a0318ac024a0a0a047465787412020a005a1b0905000000000000001205"
        + "6576656e741a090a016112040a02c3bc6a1c0a100102030405060708090a0b0c0d0e0f10"
        + "1208090a0b0c0d0e0f107a0a120662726f6b656e180212370a100102030405060708090a"
        + "0b0c0d0e0f10120802030405060708092a05717565756530013901000000000000004102"
        + "00000000000000"

    private static let expectedMetrics =
        "0ab2020a1a0a180a0c736572766963652e6e616d6512080a06696d616765731293020a0a"
        + "0a086b662d7365727665126c0a05636f756e74120548656c702e3a5c0a2a110a00000000"
        + "0000001914000000000000002100000000000008403a0d0a0673746174757312030a0161"
        + "0a2a110a000000000000001914000000000000002100000000000000003a0d0a06737461"
        + "74757312030a01621002180112260a0567617567652a1d0a1b110a000000000000001914"
        + "0000000000000021000000000000f83f126f0a0574696d65734a660a62110a0000000000"
        + "000019140000000000000021030000000000000029000000000000024032180100000000"
        + "000000020000000000000000000000000000003a10000000000000e03f000000000000f0"
        + "3f4a100a05737461676512070a0571756575651002"
}
