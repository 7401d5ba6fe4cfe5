import Foundation
import Testing

@testable import KingfisherServer

/// The files of the folder Deploy agree with the program, and with each other.
struct DeployTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appending(path: "../../../..").standardized

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: root.appending(path: "Deploy/\(name)"), encoding: .utf8)
    }

    private static func seconds(
        _ pattern: Regex<(Substring, Substring)>,
        in name: String
    ) throws
        -> Duration
    {
        let match = try #require(try text(name).firstMatch(of: pattern))
        return .seconds(try #require(Int(match.1)))
    }

    @Test(arguments: ["Dockerfile", "compose.yaml", "kf-serve.service", "nginx.conf"])
    func `every variable is one of the program's`(_ name: String) throws {
        for match in try Self.text(name).matches(of: #/(IMGPROXY|KF)_[A-Z0-9_]+/#) {
            #expect(ServiceConfiguration.entriesByName[String(match.0)] != nil, "\(match.0)")
        }
    }

    @Test func `the dashboard shows the metrics of the service, and no others`() async throws {
        try await TestService.run(transport: AnsweringTransport { _ in .image() }) { test in
            for options in ["w:5", "w:5", "w:6"] {
                let reply = try await test.request(path("http://a.example/b.png", options))
                #expect(reply.status == 200)
            }
            let metrics = test.service.registry.text
            let board = try Self.text("grafana.json")
            let names = board.matches(of: #/\b(kf|process)_[a-z_]+/#).map { String($0.0) }
            #expect(names.count > 10)
            for name in names where name != "kf_clients_left_total" {
                #expect(metrics.contains("\n\(name)"), "\(name)")
            }
            // What a service with a shared storage, a folder or a collector has.
            let others: Set = [
                "kf_shared_storage_paused", "kf_shared_storage_total",
                "kf_source_cache_misses_total", "kf_spans_dropped_total",
            ]
            let page = try Self.text("../Server/OPERATION.md")
            let documented = page.matches(of: #/\| `((?:kf|process)_[a-z_]+)` \|/#)
            let shown = Set(names.map { $0.replacing(#/_(bucket|count|sum)$/#, with: "") })
            #expect(Set(documented.map { String($0.1) }).subtracting(shown) == others)
        }
    }

    @Test func `the program gets the time that it needs to stop`() throws {
        let limits = ServiceConfiguration().connections
        let needed = limits.gracefulStopTimeout ?? limits.timeout * 2
        #expect(try Self.seconds(#/TimeoutStopSec=(\d+)/#, in: "kf-serve.service") > needed)
        #expect(try Self.seconds(#/stop_grace_period: (\d+)s/#, in: "compose.yaml") > needed)
        let read = try Self.seconds(#/proxy_read_timeout (\d+)s/#, in: "nginx.conf")
        #expect(read > limits.timeout)
    }

    @Test func `nginx asks the services of the compose file at their port`() throws {
        let servers = try Self.text("nginx.conf").matches(of: #/server (\w+):(\d+)/#)
        #expect(servers.count == 3)
        let compose = try Self.text("compose.yaml")
        let image = try Self.text("Dockerfile")
        for server in servers {
            #expect(compose.contains("\n  \(server.1):\n"))
            #expect(image.contains("IMGPROXY_BIND=:\(server.2)"))
            #expect(image.contains("\nEXPOSE \(server.2)\n"))
            #expect(image.contains(#"CMD ["kf-serve", "--health"]"#))
        }
    }

    @Test func `the image has no list of libraries of its own`() throws {
        let image = try Self.text("Dockerfile")
        #expect(image.contains("\nRUN Deploy/build.sh /out\n"))
        #expect(image.firstMatch(of: #/\blib[a-z0-9]+/#) == nil)
        let script = try Self.text("build.sh")
        #expect(script.contains("\nScripts/bootstrap.sh --redis --formats\n"))
        #expect(script.firstMatch(of: #/\blib[a-z0-9]+-/#) == nil)
    }

    @Test func `the container does not run as root`() throws {
        let lines = try Self.text("Dockerfile").split(separator: "\n")
        let user = try #require(lines.lastIndex { $0.hasPrefix("USER ") })
        #expect(lines[user] != "USER root")
        #expect(!lines[user...].contains { $0.hasPrefix("RUN ") || $0.hasPrefix("COPY ") })
        #expect(lines.contains("STOPSIGNAL SIGTERM"))
    }

    @Test func `what the image is built from exists`() throws {
        let lines = try Self.text("Dockerfile.dockerignore").split(separator: "\n")
        let kept = lines.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) }
        #expect(kept.contains("Deploy/build.sh"))
        for path in kept {
            let file = Self.root.appending(path: path).path
            #expect(FileManager.default.fileExists(atPath: file), "\(path)")
        }
    }
}
