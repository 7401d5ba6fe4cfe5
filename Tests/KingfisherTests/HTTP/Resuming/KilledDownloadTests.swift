import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads whose process was killed while they received the body.
@Suite(.timeLimit(.minutes(2)))
struct KilledDownloadTests {
    private static let bytes = Data((0..<400_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    private let server: ImageServer
    private let folder: TemporaryDirectory

    init() throws {
        server = try ImageServer()
        folder = try TemporaryDirectory()
        for (path, ends) in [("/a", [300_000]), ("/b", [300_000, 350_000])] {
            let left = Mutex(ends[...])
            server.route(path) { request in
                Self.reply(to: request, upTo: left.withLock { $0.popFirst() } ?? Self.bytes.count)
            }
        }
    }

    /// Sends the requested range, but at most up to `end`.
    private static func reply(to request: ServerRequest, upTo end: Int) -> ServerReply {
        let range = request.value(for: "Range")?.dropFirst("bytes=".count).dropLast()
        let first = range.flatMap { Int($0) } ?? 0
        var fields = [("Content-Length", "\(bytes.count - first)"), ("ETag", "\"v1\"")]
        if first > 0 {
            fields.append(("Content-Range", "bytes \(first)-\(bytes.count - 1)/\(bytes.count)"))
        }
        let head = ServerReply.head(first == 0 ? 200 : 206, fields)
        let rest: [ServerReply.Step] = end < bytes.count ? [.wait(ServerGate())] : []
        return ServerReply(steps: [.send(head + bytes[first..<end])] + rest)
    }

    private static func policy(_ path: String) -> DownloadResumption {
        var policy = DownloadResumption(folder: URL(fileURLWithPath: path, isDirectory: true))
        policy.minBytes = 1000
        return policy
    }

    private static var settings: TransferSettings {
        var settings = TransferSettings.patient
        settings.maxBodyBytesInMemory = 50_000
        return settings
    }

    /// The extensions of the remaining files.
    private var left: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.url.path)) ?? []
        return names.map { ($0 as NSString).pathExtension }
    }

    /// Downloads until `count` bytes have arrived, which kills the process.
    private static func downloadUntilKilled(
        _ address: String,
        _ path: String,
        at count: Int
    ) async throws {
        let downloads = SharedDownloads(transport: CurlTransport())
        let url = try #require(URL(string: address))
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in
            let caller = DownloadCaller(
                progress: { if $0.received == count { kill(getpid(), SIGKILL) } },
                finished: { _ in exit(1) }
            )
            downloads.join(
                URLRequest(url: url),
                settings: settings,
                partials: PartialBodies(policy(path)),
                caller: caller
            ).download.start()
        }
    }

    /// Downloads as the next process would; cancels after `count` bytes if it is given.
    private func download(
        _ url: URL,
        _ partials: PartialBodies,
        breakingOffAt count: Int? = nil
    ) async -> Result<DownloadedBody, TransferError> {
        let downloads = SharedDownloads(transport: CurlTransport())
        return await withCheckedContinuation { continuation in
            downloads.join(
                URLRequest(url: url),
                settings: Self.settings,
                partials: partials,
                caller: DownloadCaller(
                    progress: { if $0.received == count { downloads.cancelAll() } },
                    finished: { continuation.resume(returning: $0) }
                )
            ).download.start()
        }
    }

    @Test func `the next process continues the download of a killed one`() async throws {
        let (address, path) = (server.url("/a").absoluteString, folder.url.path)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [address = address as String, path = path as String] in
            try await Self.downloadUntilKilled(address, path, at: 300_000)
        }
        #expect(left == ["running"])
        let partials = PartialBodies(Self.policy(path))
        let body = try await download(server.url("/a"), partials).get()
        #expect(body.data == Self.bytes)
        #expect(body.metrics.resumedBytes == 300_000)
        #expect(server.requests.last?.value(for: "Range") == "bytes=300000-")
        // Removed after the completion has run.
        while !left.isEmpty { await Task.yield() }
    }

    @Test(arguments: [true, false])
    func `a second kill leaves all that both had`(wasFirstKilled: Bool) async throws {
        let (address, path) = (server.url("/b").absoluteString, folder.url.path)
        if wasFirstKilled {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [address = address as String, path = path as String] in
                try await Self.downloadUntilKilled(address, path, at: 300_000)
            }
        } else {
            let partials = PartialBodies(Self.policy(path))
            let broken = await download(server.url("/b"), partials, breakingOffAt: 300_000)
            #expect(throws: TransferError.self) { try broken.get() }
            await partials.flush()
            // The other file is removed after the completion has run.
            while left != ["partial"] { await Task.yield() }
        }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [address = address as String, path = path as String] in
            try await Self.downloadUntilKilled(address, path, at: 350_000)
        }
        let partials = PartialBodies(Self.policy(path))
        let body = try await download(server.url("/b"), partials).get()
        #expect(body.data == Self.bytes)
        #expect(body.metrics.resumedBytes == 350_000)
        while !left.isEmpty { await Task.yield() }
    }

    @Test func `bytes of a killed process stay until the rest is on its way`() async throws {
        let url = folder.file("key.running")
        let copy = folder.file("copy.running")
        do {
            let file = try #require(RunningFile.make(try head(), at: url))
            try file.write(Data("abc".utf8).bytes, at: 0)
            try Data(contentsOf: url).write(to: copy)
        }
        for (count, isContinued) in [(3, false), (4, true)] {
            let (head, file) = try #require(RunningFile.takeOver(copy))
            #expect(head.received == count)
            #expect(RunningFile.takeOver(copy) == nil)
            if isContinued { file.own() }
            try file.write(Data("d".utf8).bytes, at: count)
            #expect(try file.map(4) == Data("abcd".utf8))
        }
        #expect(left == [])
    }

    /// A child process has copies of all descriptors from its fork until its program starts.
    @Test func `a copy of the descriptor does not keep the body`() throws {
        let url = folder.file("key.running")
        let copy = folder.file("copy.running")
        let file = try #require(RunningFile.make(try head(), at: url))
        try file.write(Data("abc".utf8).bytes, at: 0)
        try Data(contentsOf: url).write(to: copy)
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        do {
            let taken = try #require(RunningFile.takeOver(copy))
            descriptors = try withExtendedLifetime(taken) { try Self.duplicates(of: copy) }
        }
        #expect(!descriptors.isEmpty)
        #expect(RunningFile.takeOver(copy) != nil)
    }

    /// New descriptors of the open files at a URL.
    private static func duplicates(of url: URL) throws -> [Int32] {
        let (list, files) = ("/proc/self/fd", FileManager.default)
        return try files.contentsOfDirectory(atPath: list).compactMap { name in
            let target = try? files.destinationOfSymbolicLink(atPath: "\(list)/\(name)")
            guard target == url.path, let descriptor = Int32(name) else { return nil }
            return fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        }
    }

    private func head() throws -> PartialHead {
        let response = TransferResponse(
            url: server.url("/a"),
            statusCode: 200,
            fields: [("ETag", "\"v1\""), ("Content-Length", "400000")]
        )
        return try #require(PartialHead(response, received: 0))
    }

    @Test
    func `a body that is being received belongs to its process, and is removed with its buffer`()
        throws
    {
        let url = folder.file("key.running")
        do {
            let file = try #require(RunningFile.make(try head(), at: url))
            try file.write(Data("abc".utf8).bytes, at: 0)
            #expect(RunningFile.takeOver(url) == nil)
            #expect(RunningFile.make(try head(), at: url) == nil)
            RunningFile.removeLeftOver(url)
            #expect(left == ["running"])
            #expect(try file.map(3) == Data("abc".utf8))
            #expect(try file.read(from: 1, count: 2) == Data("bc".utf8))
        }
        #expect(left == [])
    }

    @Test func `a body that an earlier version was receiving is taken over`() throws {
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let json = #"""
            {"head":{"url":"http:\/\/host\/a","validator":"\"a\"","total":9,"received":0,\#
            "fields":[]},"boot":"\#(boot.prefix(36))\n"}
            """#
        let start = Data("Kingfisher running body 1\n\(json.utf8.count)\n\(json)".utf8)
        let space = Data(repeating: 0x20, count: 65_536 - start.count)
        let url = folder.file("kept.running")
        try (start + space + Data("body".utf8)).write(to: url)
        let (head, file) = try #require(RunningFile.takeOver(url))
        #expect(try file.map(4) == Data("body".utf8))
        #expect(head.url.absoluteString == "http://host/a")
        #expect(head.validator == "\"a\"")
        #expect(head.total == 9)
        #expect(head.received == 4)
    }

    @Test func `of an earlier start of the machine, or damaged, it is no body`() throws {
        let url = folder.file("key.running")
        let copy = folder.file("copy.running")
        let file = try #require(RunningFile.make(try head(), at: url))
        try file.write(Data("abc".utf8).bytes, at: 0)
        let whole = try Data(contentsOf: url)
        try whole.write(to: copy)
        let found = try #require(RunningFile.takeOver(copy))
        #expect(try found.file.map(3) == Data("abc".utf8))
        #expect(found.head.received == 3)
        #expect(found.head.validator == "\"v1\"")
        for damaged in [Data(), whole.prefix(20), whole.dropLast(3), Data("x".utf8) + whole] {
            try damaged.write(to: copy)
            #expect(RunningFile.takeOver(copy) == nil)
        }
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let name = Data(boot.prefix(36).utf8)
        var earlier = whole
        let range = try #require(earlier.range(of: name))
        earlier.replaceSubrange(range, with: Data(name.reversed()))
        try earlier.write(to: copy)
        #expect(RunningFile.takeOver(copy) == nil)
    }
}
