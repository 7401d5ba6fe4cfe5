import CoreMetrics
import Foundation
import KingfisherTesting
import Testing

@testable import KingfisherServer

@Suite(.timeLimit(.minutes(2)))
struct OperationTests {
    @Test("Stopping lets a running request finish, and answers no new connection")
    func stopping() async throws {
        let transport = FakeTransport()
        try await TestService.run(transport: transport) { test async throws in
            let client = try test.connect()
            client.send(path(HostileClientTests.source.absoluteString, "w:10"))
            await transport.started(1)
            await test.stop()
            while test.service.isReady { try await pause() }
            try transport.transfer(0).complete(ImageServiceTests.png)
            let reply = try await client.reply()
            #expect(reply.status == 200, "\(reply.text)")
            #expect(try await client.untilClosed().isEmpty)
        }
    }

    @Test("While stopping, the service is not healthy")
    func health() async throws {
        try await TestService.run { configuration in
            configuration.operation.healthPath = "/ready"
        } _: { test async throws in
            #expect(try await test.request("/health").status == 200)
            #expect(try await test.request("/ready").text == "ok\n")
            test.service.stop()
            #expect(try await test.request("/health").status == 503)
            #expect(try await test.request("/ready").text == "stopping\n")
        }
    }

    @Test("Metrics can be parsed, and count what happened")
    func metrics() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        let url = path(server.url("/photo.png"), "w:10")
        try await TestService.run { test async throws in
            _ = try await test.request(url)
            _ = try await test.request(url)
            _ = try await test.request("/unsafe/plain/")
            let reply = try await test.request("/metrics")
            #expect(reply.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            var types: [Substring] = []
            for line in reply.text.split(separator: "\n") {
                if line.hasPrefix("# TYPE ") { types.append(line.split(separator: " ")[2]) }
                guard !line.hasPrefix("#") else { continue }
                let pattern = #/[a-zA-Z_][a-zA-Z0-9_]*({[a-z]+="[^"]*"(,[a-z]+="[^"]*")*})? \S+/#
                #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
                #expect(line.split(separator: " ").last.flatMap { Double($0) } != nil, "\(line)")
            }
            #expect(Set(types).count == types.count)
            #expect(test.metric(#"kf_requests_total{status="200"}"#) == 3)
            #expect(test.metric(#"kf_requests_total{status="404"}"#) == 1)
            #expect(test.metric(#"kf_cache_hits_total{layer="memory"}"#) == 1)
            #expect(test.metric(#"kf_cache_misses_total{reason="absent"}"#) == 1)
            let count = #"kf_stage_duration_seconds_count{stage="processing"}"#
            #expect(test.metric(count) == 1)
        }
    }

    @Test("The number of series is bounded, whatever the labels")
    func series() {
        let registry = PrometheusRegistry()
        for number in 0..<1000 {
            registry.makeCounter(label: "hostile", dimensions: [("path", "\(number)\"\n\\")])
                .increment(by: 1)
        }
        let lines = registry.text.split(separator: "\n").filter { $0.hasPrefix("hostile{") }
        #expect(lines.count == 201)
        #expect(lines.contains(#"hostile{overflow="true"} 800"#))
        #expect(lines.contains(#"hostile{path="7\"\n\\"} 1"#))
    }

    @Test("The log has one line for each request, without keys and secrets")
    func logs() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        try await TestService.run { configuration in
            configuration.responses.secret = "s3cret"
            configuration.operation.adminToken = "t0ken"
            configuration.operation.logFormat = .json
        } _: { test async throws in
            let url = path(server.url("/photo.png?key=pa55word"), "w:10")
            let fields = ["Authorization": "Bearer s3cret", "X-Request-ID": "id-1"]
            let reply = try await test.request(url, fields)
            #expect(reply.fields["x-request-id"] == "id-1")
            let admin = ["Authorization": "Bearer t0ken", "X-Request-ID": "a b/\"c"]
            let removal = try await test.request(url, method: "DELETE", admin)
            #expect(removal.fields["x-request-id"] != "a b/\"c")
            _ = try await test.request("/unsafe/plain/http://user:pa55word@a/", fields)
            let lines = test.log
            test.handler.flush()
            let objects = try lines.text.split(separator: "\n").map {
                try #require(
                    try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
                )
            }
            #expect(objects.count == 3)
            #expect(objects.first?["id"] as? String == "id-1")
            for secret in ["s3cret", "t0ken", "pa55word"] {
                #expect(!lines.text.contains(secret), "\(secret)")
            }
        }
    }
}
