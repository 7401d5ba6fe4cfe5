import Foundation
import Glibc
import KingfisherTesting
import Logging
import Testing

@testable import KingfisherServer

/// Signals, logs, metrics and the address for administrators.
@Suite(.timeLimit(.minutes(2)))
struct AdministrationTests {
    @Test("A request that runs when the terminal is closed gets its answer")
    func hangup() async throws {
        let (asked, ask) = AsyncStream<Void>.makeStream()
        let gate = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _, _ in
            ask.yield()
            gate.wait()
            return LoopbackServer.Answer(contentType: "image/png", body: ImageServiceTests.png)
        }
        defer { server.stop() }
        let program = try ServeProgram([
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "KF_ISOLATE": "0",
        ])
        defer { program.kill() }
        let client = try RawClient(port: try await program.port())
        client.send(path(server.url("/a.png"), "w:10"))
        for await _ in asked { break }
        program.signal(SIGHUP)
        gate.signal()
        #expect(try await client.reply().status == 200)
        #expect(await program.status() == 0)
    }

    @Test(
        "Health and metrics answer at an address of their own, whatever clients do at the main one"
    )
    func administration() async throws {
        let program = try ServeProgram([
            "IMGPROXY_BIND": "127.0.0.1:0", "KF_ADMIN_BIND": "127.0.0.1:0", "KF_ISOLATE": "0",
            "IMGPROXY_MAX_CLIENTS": "4", "KF_PLAYGROUND": "1",
        ])
        defer { program.kill() }
        let port = try await program.port()
        let half = try (0..<20).map { _ in try RawClient(port: port) }
        for client in half { client.sendRaw("GET /health HTTP/1.1\r\n") }
        let admin = try RawClient(port: try await program.port(of: "administration"))
        for (path, status) in [("/health", 200), ("/metrics", 200), ("/", 404)] {
            admin.send(path)
            #expect(try await admin.reply().status == status, "\(path)")
        }
        for path in ["/health", "/metrics", "/"] {
            // A body would be read as the next answer.
            admin.send(method: "HEAD", path)
            admin.send("/health")
            _ = try await admin.reply(withBody: false)
            #expect(try await admin.reply().text == "ok\n", "\(path)")
        }
        for client in half { client.close() }
        let client = try RawClient(port: port)
        client.send("/metrics")
        #expect(try await client.reply().status == 404)
        #expect(program.errors.contains("the playground builds any image for anyone"))
    }

    @Test("Metrics are not below the prefix of the images' paths")
    func prefix() async throws {
        try await TestService.run { configuration in
            configuration.urls.pathPrefix = "/img"
        } _: { test async throws in
            #expect(try await test.request("/img/metrics").status == 404)
            #expect(try await test.request("/metrics").status == 200)
            #expect(try await test.request("/img/health").status == 200)
        }
    }

    @Test(
        "A body in an unknown form, or with two ends, gets one answer: 400",
        arguments: [
            "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: gzip, chunked\r\n",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding: chunked, identity\r\n",
        ]
    )
    func transferEncodings(_ fields: String) async throws {
        try await TestService.run { test async throws in
            let client = try test.connect()
            client.sendRaw("GET /health HTTP/1.1\r\nHost: a\r\n\(fields)\r\n0\r\n\r\n")
            let text = try await client.untilClosed()
            #expect(text.hasPrefix("HTTP/1.1 400"), "\(text)")
            #expect(text.components(separatedBy: "HTTP/1.1").count == 2, "\(text)")
        }
    }

    @Test("The log has numbers as numbers, and the client's address")
    func numbers() async throws {
        let change: (inout ServiceConfiguration) -> Void = { $0.operation.logFormat = .json }
        try await TestService.run(change) { test async throws in
            _ = try await test.request("/health")
            test.handler.flush()
            let line = try #require(test.log.text.split(separator: "\n").first)
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["status"] as? Int == 200)
            #expect(object?["ms"] is Double)
            #expect(object?["client"] as? String == "127.0.0.1")
        }
    }

    @Test("Many failures of one kind in the library make one line, and the next one counts them")
    func repetitions() {
        let lines = LogLines()
        let output = LogOutput { lines.add($0) }
        let log = ServiceLog(ServiceConfiguration(), output: output)
        let logger = Logger(label: "library") { _ in log }
        for number in 0..<100 {
            logger.warning("A file was not stored: no space \(number)", source: "Kingfisher")
            logger.warning("own \(number)", source: "KingfisherServer")
        }
        log.flush()
        let all = lines.text.split(separator: "\n")
        #expect(all.count { $0.contains("no space") } == 1)
        #expect(all.count { $0.contains("own") } == 100)
        let later = ContinuousClock.now + .seconds(11)
        #expect(output.skippedBefore("A file was not stored", at: later) == 99)
    }

    @Test("In the journal of systemd every line has its level")
    func journal() throws {
        let lines = LogLines()
        let output = LogOutput { lines.add($0) }
        var configuration = ServiceConfiguration()
        configuration.operation.logLevel = .trace
        let log = ServiceLog(configuration, output: output, isForJournal: true)
        let logger = Logger(label: "service") { _ in log }
        for level in Logger.Level.allCases {
            logger.log(level: level, "a", source: "KingfisherServer")
        }
        log.flush()
        let marks = lines.text.split(separator: "\n").map { String($0.prefix(3)) }
        #expect(marks == ["<7>", "<7>", "<6>", "<5>", "<4>", "<3>", "<2>"])

        let pipe = Pipe()
        let file = pipe.fileHandleForWriting.fileDescriptor
        var status = stat()
        try #require(fstat(file, &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(ServiceLog.isJournal(file, stream: stream))
        // The variable is inherited by programs whose output was redirected.
        #expect(!ServiceLog.isJournal(file, stream: stream + "0"))
        #expect(!ServiceLog.isJournal(file, stream: nil))
        #expect(!ServiceLog.isJournal(-1, stream: stream))
    }

    @Test("Every metric has a help text")
    func help() async throws {
        try await TestService.run { test async throws in
            _ = try await test.request("/health")
            let lines = test.service.registry.text.split(separator: "\n")
            let described = Set(
                lines.filter { $0.hasPrefix("# HELP ") }.map { $0.split(separator: " ")[2] }
            )
            for line in lines where line.hasPrefix("# TYPE ") {
                let name = line.split(separator: " ")[2]
                #expect(described.contains(name), "\(name)")
            }
        }
    }
}
