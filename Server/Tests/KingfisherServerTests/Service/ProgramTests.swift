import Foundation
import KingfisherTesting
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The program as an administrator runs it, with worker processes.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct ProgramTests {
    @Test("The program serves images decoded by workers, and ends with 0 after SIGTERM")
    func served() async throws {
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        let program = try ServeProgram([
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "IMGPROXY_WORKERS": "2", "IMGPROXY_TYPO": "1",
        ])
        defer { program.kill() }
        let port = try await program.port()
        let client = try RawClient(port: port)
        client.send("/metrics")
        #expect(try await client.reply().text.contains("kf_workers 0\n"))
        client.send(path(server.url("/photo.png"), "w:10"))
        let reply = try await client.reply()
        #expect(reply.status == 200)
        #expect(reply.fields["content-type"] == "image/png")
        client.send("/metrics")
        let metrics = try await client.reply().text
        // The second one if the first was not ready again for the next of the image's requests.
        #expect(["kf_workers 1\n", "kf_workers 2\n"].contains { metrics.contains($0) })
        program.signal(SIGTERM)
        #expect(await program.status() == 0)
        #expect(program.errors.contains("IMGPROXY_TYPO is not supported"))
        #expect(program.errors.contains("stopped"))
    }

    @Test("Metadata is kept where workers decode")
    func metadata() async throws {
        let photo = try KeptMetadataTests.source()
        let server = try LoopbackServer { _, _ in
            LoopbackServer.Answer(contentType: "image/jpeg", body: photo)
        }
        defer { server.stop() }
        let program = try ServeProgram([
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
            "IMGPROXY_KEEP_COPYRIGHT": "true",
        ])
        defer { program.kill() }
        let client = try RawClient(port: try await program.port())
        for (options, place) in [("w:10", false), ("w:10/sm:0", true)] {
            client.send(path(server.url("/a.jpg"), options))
            let body = Data(try await client.reply().body)
            #expect(body.range(of: Data("Ada".utf8)) != nil)
            #expect((body.range(of: Data("PLACE".utf8)) != nil) == place)
        }
    }

    @Test("Colours of the source are kept where workers decode")
    func colours() async throws {
        let photo = try KeptColoursTests.source()
        let server = try LoopbackServer { _, _ in
            LoopbackServer.Answer(contentType: "image/png", body: photo)
        }
        defer { server.stop() }
        let program = try ServeProgram([
            "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
        ])
        defer { program.kill() }
        let client = try RawClient(port: try await program.port())
        // The second one has a step of the service's own, which is not done by workers.
        for (options, isKept) in [("w:10", false), ("w:10/scp:0", true), ("mc:0.1/scp:0", true)] {
            client.send(path(server.url("/a.png"), options) + "@jpg")
            let body = Data(try await client.reply().body)
            #expect((body.range(of: KeptColoursTests.profile) != nil) == isKept, "\(options)")
        }
    }

    @Test("An address that is in use ends the program with its name")
    func usedAddress() async throws {
        let first = try ServeProgram(["IMGPROXY_BIND": "127.0.0.1:0", "KF_ISOLATE": "0"])
        defer { first.kill() }
        let address = "127.0.0.1:\(try await first.port())"
        let second = try ServeProgram(["IMGPROXY_BIND": address, "KF_ISOLATE": "0"])
        defer { second.kill() }
        #expect(await second.status() == 69)
        #expect(second.errors.contains("kf-serve: \(address) is not available: "))
    }

    @Test("A socket of a service that runs, or another file in its place, is left alone")
    func usedSocket() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = ["IMGPROXY_BIND": "unix:\(folder.path)/s", "KF_ISOLATE": "0"]
        let first = try ServeProgram(socket)
        defer { first.kill() }
        while !first.errors.contains("listening") { try await pause() }
        let second = try ServeProgram(socket)
        defer { second.kill() }
        #expect(await second.status() == 69)
        #expect(second.errors.contains("another program listens there"))
        let check = try ServeProgram(socket, ["--health"])
        #expect(await check.status() == 0)
        // That of a program that was killed is replaced.
        first.kill()
        _ = await first.status()
        let third = try ServeProgram(socket)
        defer { third.kill() }
        while !third.errors.contains("listening") { try await pause() }
        let file = folder.appending(path: "file")
        try Data("x".utf8).write(to: file)
        let fourth = try ServeProgram(["IMGPROXY_BIND": "unix:\(file.path)", "KF_ISOLATE": "0"])
        #expect(await fourth.status() == 69)
        #expect(fourth.errors.contains("there is a file that is no socket"))
        #expect(try Data(contentsOf: file) == Data("x".utf8))
    }

    @Test("--health tells whether a service is ready, and a folder of credentials has its key")
    func health() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["IMGPROXY_KEY", "IMGPROXY_SALT"] {
            try "aa\n".write(
                to: folder.appending(path: name),
                atomically: true,
                encoding: .utf8
            )
        }
        let program = try ServeProgram([
            "IMGPROXY_BIND": "127.0.0.1:0", "KF_ISOLATE": "0", "CREDENTIALS_DIRECTORY": folder.path,
        ])
        defer { program.kill() }
        let port = try await program.port()
        let client = try RawClient(port: port)
        client.send("/_/plain/http://a/")
        #expect(try await client.reply().status == 403)
        for (port, status) in [(port, Int32(0)), (1, 1)] {
            let check = try ServeProgram(["IMGPROXY_BIND": ":\(port)"], ["--health"])
            #expect(await check.status() == status)
        }
    }

    @Test("A request that runs at SIGTERM gets its answer")
    func graceful() async throws {
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
        program.signal(SIGTERM)
        gate.signal()
        #expect(try await client.reply().status == 200)
        #expect(await program.status() == 0)
    }

    @Test(
        "As process 1 the program waits for orphans, and ends with 0 after SIGTERM",
        .enabled(if: geteuid() == 0, "a namespace of processes needs root")
    )
    func first() async throws {
        let program = try ServeProgram(
            [
                "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_ALLOW_LOOPBACK_SOURCE_ADDRESSES": "1",
                "KF_ISOLATE": "0",
            ],
            // The program keeps process 1 of the shell, whose children it inherits.
            around: [
                "/usr/bin/unshare", "--pid", "--fork", "--kill-child", "/bin/sh", "-c",
                #"(true & sleep 0) & exec "$0""#,
            ]
        )
        defer { program.kill() }
        let server = try ImageServiceTests.sources()
        defer { server.stop() }
        let client = try RawClient(port: try await program.port())
        client.send(path(server.url("/photo.png"), "w:10"))
        #expect(try await client.reply().status == 200)
        let first = try #require(program.children.first)
        let names = { ServeProgram.tree(below: first).map(\.state) }
        // The shell's child ended before the service began to listen, or soon after.
        while names().contains("Z") { try await pause() }
        kill(first, SIGTERM)
        #expect(await program.status() == 0)
        #expect(program.errors.contains("stopped"))
    }

    @Test("A configuration that cannot be used ends with 78 and its name")
    func malformed() async throws {
        for (name, value) in [
            ("IMGPROXY_TIMEOUT", "soon"), ("IMGPROXY_KEY", "aa"), ("KF_CACHE_PATH", "/proc/no"),
            ("IMGPROXY_PRESETS_PATH", "/no/such/file"), ("KF_REDIS_URL", "nonsense"),
        ] {
            let program = try ServeProgram([name: value, "KF_ISOLATE": "0"])
            #expect(await program.status() == 78, "\(name)")
            #expect(program.errors.hasPrefix("kf-serve: "), "\(program.errors)")
            let shown = name == "IMGPROXY_KEY" ? "IMGPROXY_SALT" : name
            #expect(program.errors.contains(shown), "\(program.errors)")
        }
    }

    @Test("--check prints the configuration of a file and the environment, and ends with 0")
    func check() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try "IMGPROXY_TTL=5\nIMGPROXY_BIND=:1\nQUALITY=5\nIMGPROXY_ETAG_BUSTER=a\n".write(
            to: file,
            atomically: true,
            encoding: .utf8
        )
        let program = try ServeProgram(
            ["IMGPROXY_BIND": ":2", "IMGPROXY_SECRET": "c0ffee", "IMGPROXY_ETAG_BUSTER": ""],
            ["--check", "--config", file.path]
        )
        #expect(await program.status() == 0)
        let lines = program.output.split(separator: "\n")
        #expect(lines.contains("IMGPROXY_TTL=5"))
        #expect(lines.contains("IMGPROXY_BIND=:2"))
        #expect(lines.contains("IMGPROXY_SECRET=(hidden)"))
        #expect(lines.contains("IMGPROXY_ETAG_BUSTER=a"))
        #expect(lines.contains("# not supported: QUALITY"))
    }
}
