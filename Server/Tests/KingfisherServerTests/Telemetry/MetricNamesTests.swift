import Foundation
import KingfisherTesting
import Synchronization
import Testing

@testable import KingfisherServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The metrics that OPERATION.md lists are those of the service.
@Suite(.timeLimit(.minutes(2)))
struct MetricNamesTests {
    private struct Metric: Hashable {
        let name: String
        let type: String
        let labels: Set<String>
    }

    @Test("Prometheus and collectors get the metrics of the page, with their types and labels")
    func names() async throws {
        let expected = try Self.documented()
        #expect(expected.count > 20)
        let bodies = Mutex<[Data]>([])
        let transport = AnsweringTransport { request in
            guard request.url?.host == "collector.example" else { return .image() }
            if request.url?.path == "/v1/metrics" {
                bodies.withLock { $0.append(request.httpBody ?? Data()) }
            }
            return .status(200)
        }
        let telemetry = try ServiceConfiguration(environment: [
            "IMGPROXY_OPEN_TELEMETRY_ENABLE": "1", "IMGPROXY_OPEN_TELEMETRY_ENABLE_METRICS": "1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example:4318",
        ]).telemetry
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let change: (inout ServiceConfiguration) -> Void = {
            ($0.telemetry, $0.caches.path) = (telemetry, folder.path)
        }
        let storage = InMemorySharedStorage()
        try await TestService.run(change, transport: transport, sharing: storage) {
            test async throws in
            let reply = try await test.request(path("http://a.example/b.png", "w:5"))
            #expect(reply.status == 200)
            let answer = try await test.request("/metrics").body
            let text = String(decoding: answer, as: UTF8.self)
            #expect(Self.inText(text) == expected)
            let described = text.matches(of: /# HELP ([a-z_]+) ./).map { String($0.1) }
            #expect(Set(described) == Set(expected.map { $0.name }))
        }
        // The last ones are sent when the service stops.
        let body = try #require(bodies.withLock { $0.last })
        #expect(try Self.inMessage(body) == expected)
    }

    /// The table of the page.
    private static func documented() throws -> Set<Metric> {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../OPERATION.md").standardized
        let row = /\| `((?:kf|process)_[a-z_]+)` \| ([a-z]+) \| ([a-z_`, ]*)\|/
        return try Set(
            String(contentsOf: page, encoding: .utf8).matches(of: row).map { match in
                let labels = match.3.matches(of: /[a-z_]+/).map { String($0.0) }
                return Metric(name: "\(match.1)", type: "\(match.2)", labels: Set(labels))
            }
        )
    }

    /// The metrics of Prometheus' text format.
    private static func inText(_ text: String) -> Set<Metric> {
        Set(
            text.matches(of: /# TYPE ([a-z_]+) ([a-z]+)\n([^#]*)/).map { match in
                let labels = match.3.matches(of: /[{,]([a-z_]+)="/).map { String($0.1) }
                return Metric(
                    name: "\(match.1)",
                    type: "\(match.2)",
                    labels: Set(labels).subtracting(["le"])
                )
            }
        )
    }

    /// The metrics of a message for a collector, by the numbers of its fields.
    private static func inMessage(_ body: Data) throws -> Set<Metric> {
        let types: [UInt64: String] = [5: "gauge", 7: "counter", 9: "histogram"]
        let metrics = try fields([UInt8](body), 1).flatMap { try fields($0, 2) }
            .flatMap { try fields($0, 2) }
        return try Set(
            metrics.map { metric in
                let kind = try #require(types.keys.first { try !fields(metric, $0).isEmpty })
                // Points of a histogram keep their attributes in another field.
                let points = try fields(metric, kind).flatMap { try fields($0, 1) }
                let names = try points.flatMap { try fields($0, kind == 9 ? 9 : 7) }
                    .flatMap { try fields($0, 1) }
                return Metric(
                    name: String(decoding: try fields(metric, 1).joined(), as: UTF8.self),
                    type: try #require(types[kind]),
                    labels: Set(names.map { String(decoding: $0, as: UTF8.self) })
                )
            }
        )
    }

    /// The parts of a message in the fields with a number.
    private static func fields(_ message: [UInt8], _ number: UInt64) throws -> [[UInt8]] {
        var rest = message[...]
        func varint() throws -> UInt64 {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = rest.popFirst() else { break }
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            throw CocoaError(.coderReadCorrupt)
        }
        var found: [[UInt8]] = []
        while !rest.isEmpty {
            let key = try varint()
            switch key & 7 {
            case 0: _ = try varint()
            case 1: rest = rest.dropFirst(8)
            case 2:
                let count = Int(try varint())
                if key >> 3 == number { found.append(Array(rest.prefix(count))) }
                rest = rest.dropFirst(count)
            default: throw CocoaError(.coderReadCorrupt)
            }
        }
        return found
    }
}
