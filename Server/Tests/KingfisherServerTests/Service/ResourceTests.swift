import Foundation
import KingfisherTesting
import Testing

@testable import KingfisherServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What the service does when the system has no more of something.
@Suite(.timeLimit(.minutes(2)))
struct ResourceTests {
    @Test("Connections of clients leave descriptors for everything else")
    func share() {
        #expect(Descriptors.clients(limit: 1024, open: 40, loads: 32) == 848)
        #expect(Descriptors.clients(limit: 64, open: 40, loads: 32) == 4)
        #expect(Descriptors.clients(limit: 10, open: 40, loads: .max) == 1)
        #expect(Descriptors.clients(limit: .max, open: 0, loads: 1) > 1_000_000)
    }

    @Test("A client for which there is no descriptor gets 503, and others go on")
    func refused() async throws {
        try await TestService.run { test async throws in
            let first = try test.connect()
            first.send("/health")
            #expect(try await first.reply().status == 200)
            test.service.connections.limit = 1
            let second = try test.connect()
            second.send("/health")
            let reply = try await second.reply()
            #expect(reply.status == 503)
            #expect(reply.fields["retry-after"] == "1")
            #expect(try await second.untilClosed().isEmpty)
            first.send("/health")
            #expect(try await first.reply().status == 200)
            while test.service.connections.count > 1 { try await pause() }
            test.service.connections.limit = 2
            #expect(try await test.request("/health").status == 200)
        }
    }

    @Test("Only a local source that is certainly not there is 404")
    func unreadable() {
        for (code, status) in [
            (ENOENT, 404), (ENOTDIR, 404), (ELOOP, 404), (ENAMETOOLONG, 404), (EMFILE, 503),
            (ENFILE, 503), (ENOMEM, 503), (EIO, 503), (EACCES, 503), (ESTALE, 503),
        ] {
            #expect(ServiceError(reading: code).status == status, "\(code)")
        }
    }

    @Test("With few descriptors, many clients get images or a polite refusal, never 404")
    func fewDescriptors() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try ImageServiceTests.png.write(to: folder.appending(path: "a.png"))
        let program = try ServeProgram(
            [
                "IMGPROXY_BIND": "127.0.0.1:0", "IMGPROXY_LOCAL_FILESYSTEM_ROOT": folder.path,
                "IMGPROXY_WORKERS": "2",
            ],
            around: ["/bin/sh", "-c", #"ulimit -n 64; exec "$0""#]
        )
        defer { program.kill() }
        let port = try await program.port()
        let statuses = try await withThrowingTaskGroup(of: [Int].self) { tasks in
            for number in 0..<64 {
                tasks.addTask {
                    var statuses: [Int] = []
                    for width in 1...8 {
                        let client = try RawClient(port: port)
                        defer { client.close() }
                        client.send("/_/w:\(number * 8 + width)/plain/local:///a.png")
                        // A client that waits in the kernel's queue may find it closed.
                        if let reply = try? await client.reply() { statuses.append(reply.status) }
                    }
                    return statuses
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
        #expect(Set(statuses).isSubset(of: [200, 429, 503]), "\(Set(statuses))")
        #expect(statuses.contains(200))
        let last = try RawClient(port: port)
        last.send("/health")
        #expect(try await last.reply().status == 200)
        program.signal(SIGTERM)
        last.close()
        #expect(await program.status() == 0)
    }
}
