@_spi(Server) import Kingfisher
import Tracing

/// A span that has ended.
struct EndedSpan: Sendable {
    var trace: TraceContext
    /// The span that this one is a part of; nil for none.
    var parent: [UInt8]?
    var name: String
    var kind: SpanKind
    /// Nanoseconds since 1970.
    var start: UInt64
    var end: UInt64
    var attributes = SpanAttributes()
    var events: [SpanEvent] = []
    var links: [TraceContext] = []
    /// The message of a failure; nil for none.
    var failure: String?
}

/// Messages of the OpenTelemetry Protocol, version 1.
///
/// Source: https://github.com/open-telemetry/opentelemetry-proto
enum OTLPMessages {
    /// The body of a request for `/v1/traces`.
    static func traces(_ spans: [EndedSpan], of service: String) -> [UInt8] {
        request(of: service) { scope in
            for span in spans { scope.message(2) { write(span, to: &$0) } }
        }
    }

    /// The body of a request for `/v1/metrics`.
    ///
    /// - Parameters:
    ///   - readings: The metrics.
    ///   - start: When counting began, in nanoseconds since 1970.
    ///   - now: The time of the readings.
    ///   - service: The name of the service.
    /// - Returns: The body.
    static func metrics(
        _ readings: [MetricReading],
        since start: UInt64,
        at now: UInt64,
        of service: String
    ) -> [UInt8] {
        request(of: service) { scope in
            for reading in readings {
                scope.message(2) { write(reading, start, now, to: &$0) }
            }
        }
    }

    /// Both kinds of requests have the same frame: resource, scope, entries.
    private static func request(
        of service: String,
        _ entries: (inout ProtobufWriter) -> Void
    ) -> [UInt8] {
        var writer = ProtobufWriter()
        writer.message(1) { resource in
            resource.message(1) { fields in
                fields.message(1) { write("service.name", to: &$0) { $0.text(1, service) } }
            }
            resource.message(2) { scope in
                scope.message(1) { $0.text(1, "kf-serve") }
                entries(&scope)
            }
        }
        return writer.bytes
    }

    // MARK: Spans

    private static func write(_ span: EndedSpan, to writer: inout ProtobufWriter) {
        writer.bytes(1, span.trace.trace)
        writer.bytes(2, span.trace.span)
        writer.text(3, span.trace.state)
        writer.bytes(4, span.parent ?? [])
        writer.text(5, span.name)
        writer.varint(6, number(of: span.kind))
        writer.fixed(7, span.start)
        writer.fixed(8, span.end)
        write(span.attributes, 9, to: &writer)
        for event in span.events {
            writer.message(11) { message in
                message.fixed(1, event.nanosecondsSinceEpoch)
                message.text(2, event.name)
                write(event.attributes, 3, to: &message)
            }
        }
        for link in span.links {
            writer.message(13) { message in
                message.bytes(1, link.trace)
                message.bytes(2, link.span)
            }
        }
        guard let failure = span.failure else { return }
        writer.message(15) { status in
            status.text(2, failure.disclosing(.path))
            status.varint(3, 2)
        }
    }

    private static func number(of kind: SpanKind) -> UInt64 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func write(
        _ attributes: SpanAttributes,
        _ field: UInt64,
        to writer: inout ProtobufWriter
    ) {
        var found: [(key: String, value: SpanAttribute)] = []
        // It is no sequence.
        // swift-format-ignore: ReplaceForEachWithForLoop
        attributes.forEach { found.append(($0, $1)) }
        for (key, value) in found.sorted(by: { $0.key < $1.key }) {
            writer.message(field) { message in
                write(key, to: &message) { write(value, to: &$0) }
            }
        }
    }

    private static func write(_ value: SpanAttribute, to writer: inout ProtobufWriter) {
        switch value {
        case .string(let text): writer.text(1, text.disclosing(.path), isPresent: true)
        case .bool(let flag): writer.flag(2, flag, isPresent: true)
        case .int32(let number): integer(Int64(number), to: &writer)
        case .int64(let number): integer(number, to: &writer)
        case .double(let number): writer.double(4, number, isPresent: true)
        case .int32Array(let list): array(list.map { .int64(Int64($0)) }, to: &writer)
        case .int64Array(let list): array(list.map { .int64($0) }, to: &writer)
        case .doubleArray(let list): array(list.map { .double($0) }, to: &writer)
        case .boolArray(let list): array(list.map { .bool($0) }, to: &writer)
        case .stringArray(let list): array(list.map { .string($0) }, to: &writer)
        case .stringConvertible(let value): writer.text(1, "\(value)", isPresent: true)
        case .stringConvertibleArray(let list): array(list.map { .string("\($0)") }, to: &writer)
        default: writer.text(1, "", isPresent: true)
        }
    }

    private static func integer(_ number: Int64, to writer: inout ProtobufWriter) {
        writer.varint(3, UInt64(bitPattern: number), isPresent: true)
    }

    private static func array(_ list: [SpanAttribute], to writer: inout ProtobufWriter) {
        writer.message(5) { values in
            for value in list { values.message(1) { write(value, to: &$0) } }
        }
    }

    private static func write(
        _ key: String,
        to writer: inout ProtobufWriter,
        _ value: (inout ProtobufWriter) -> Void
    ) {
        writer.text(1, key)
        writer.message(2, value)
    }

    // MARK: Metrics

    private static let cumulative: UInt64 = 2

    private static func write(
        _ reading: MetricReading,
        _ start: UInt64,
        _ now: UInt64,
        to writer: inout ProtobufWriter
    ) {
        writer.text(1, reading.name)
        writer.text(2, reading.help)
        writer.text(3, reading.unit)
        let fields: [String: UInt64] = ["gauge": 5, "counter": 7, "histogram": 9]
        writer.message(fields[reading.type] ?? 5) { data in
            for (labels, value) in reading.values {
                data.message(1) { point in
                    point.fixed(2, start)
                    point.fixed(3, now)
                    write(value, labels, to: &point)
                }
            }
            guard reading.type != "gauge" else { return }
            data.varint(2, cumulative)
            data.flag(3, reading.type == "counter")
        }
    }

    private static func write(
        _ value: MetricReading.Value,
        _ labels: [(String, String)],
        to point: inout ProtobufWriter
    ) {
        var field: UInt64 = 7
        switch value {
        case .number(let number): point.double(4, number, isPresent: true)
        case .histogram(let bounds, let counts, let sum):
            field = 9
            point.fixed(4, UInt64(counts.reduce(0, +)))
            point.double(5, sum, isPresent: true)
            point.packed(6, counts.map { UInt64($0) })
            point.packed(7, bounds.map(\.bitPattern))
        }
        for (name, text) in labels {
            point.message(field) { label in
                write(name, to: &label) { $0.text(1, text, isPresent: true) }
            }
        }
    }
}
