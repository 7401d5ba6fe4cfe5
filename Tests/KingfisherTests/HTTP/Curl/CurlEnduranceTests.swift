import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Resources that remain after many transfers: there must be none.
///
/// Each test runs in its own process. `KINGFISHER_CANCELS` and `KINGFISHER_REQUESTS` set the
/// numbers: 100000 and 50000 for a full check; the defaults are a few thousand.
@Suite(.timeLimit(.minutes(20)))
struct CurlEnduranceTests {
    private static func number(_ variable: String, otherwise count: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? count
    }

    @Test func `random cancels leave no transfer, descriptor, thread or memory`() async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            // The test server uses a thread for each connection, and with thousands of threads a
            // few live bytes are spread over all arenas of the allocator: 12 MB of unused memory.
            Allocator.useOneArena()
            let count = Self.number("KINGFISHER_CANCELS", otherwise: 3000)
            let storm = try CancelStorm()
            // The first transfers create lasting state and fill the allocator's caches.
            try await storm.run(min(2000, count / 2), seed: 1)
            let before = Holdings.now
            var done = min(2000, count / 2)
            var seed: UInt64 = 2
            while done < count {
                try await storm.run(min(1000, count - done), seed: seed)
                done += 1000
                seed += 1
                if seed.isMultiple(of: 10) { print("\(done) cancels: \(Holdings.now)") }
            }
            // The server accepts connections that were already given up, and closes them.
            var looks = 0
            while Holdings.now.descriptors > before.descriptors, looks < 2000 {
                looks += 1
                await Task.yield()
            }
            let after = Holdings.now
            Self.hold(after.descriptors <= before.descriptors, "\(before) \(after)")
            Self.hold(after.transportThreads == 0, "\(after)")
            Self.hold(after.kilobytes - before.kilobytes < 16 << 10, "\(before) \(after)")
            // A release build stays flat over 100,000 transfers. A debug build grows by up to 26
            // bytes for each, all of it in the allocator's caches for threads: the number of live
            // allocations after 16,000 transfers is that after 6,000. A leak of 40 bytes for each
            // transfer would be found.
            Self.hold(after.live - before.live < 4 << 20, "\(before) \(after)")
            print("\(count) cancels: \(before) → \(after)")
        }
        Self.tell(result)
    }

    @Test(arguments: [true, false])
    func `memory of very many transfers at once is given back after their end`(
        areAllTaken: Bool
    ) async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [areAllTaken] in
            let server = try ImageServer()
            server.route("/held", .held(ServerGate(), then: .text("never")))
            let transport = CurlTransport()
            var settings = TransferSettings.patient
            settings.maxConnectionsPerHost = 1
            func run(_ count: Int) async {
                var recorders: [TransferRecorder] = []
                let transfers = (0..<count).map { _ in
                    let recorder = TransferRecorder()
                    recorders.append(recorder)
                    return transport.start(
                        URLRequest(url: server.url("/held")),
                        settings: settings,
                        handler: recorder
                    )
                }
                // Otherwise most are cancelled before the busy network thread takes them.
                if areAllTaken { _ = await transport.census() }
                for transfer in transfers { transfer.cancel() }
                for recorder in recorders { _ = await recorder.outcome() }
            }
            await run(100)
            let before = Holdings.now
            await run(10_000)
            let atEnd = Holdings.now
            var after = atEnd
            // The network rests for a second first.
            let end = ContinuousClock.now + .seconds(30)
            while after.kilobytes - before.kilobytes > 6 << 10, .now < end {
                _ = await transport.census()
                after = Holdings.now
            }
            Self.hold(after.kilobytes - before.kilobytes <= 6 << 10, "\(before) \(atEnd) \(after)")
            print("\(before) → \(atEnd) → \(after)")
        }
        Self.tell(result)
    }

    @Test func `memory stays flat over many requests`() async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            let count = Self.number("KINGFISHER_REQUESTS", otherwise: 2000)
            let server = try ImageServer()
            server.route("/a", .body(Data(repeating: 7, count: 50_000)))
            let downloads = SharedDownloads(transport: CurlTransport())
            func load(_ count: Int) async {
                await withTaskGroup { group in
                    for lane in 0..<8 {
                        group.addTask {
                            for index in 0..<(count / 8) {
                                await Self.load(downloads, server.url("/a?\(lane)-\(index)"))
                            }
                        }
                    }
                }
            }
            var done = 0
            var before: Holdings?
            while done < count {
                await load(min(1000, count - done))
                server.forgetRequests()
                done += 1000
                // The first requests create lasting state and fill the allocator's caches.
                if before == nil { before = Holdings.now }
            }
            guard let before else { preconditionFailure("there were no requests") }
            let after = Holdings.now
            Self.hold(after.kilobytes - before.kilobytes < 16 << 10, "\(before) \(after)")
            Self.hold(after.descriptors <= before.descriptors + 8, "\(before) \(after)")
            print("\(count) requests: \(before) → \(after)")
        }
        Self.tell(result)
    }

    private static let broken = "BROKEN"

    /// Prints a failed check instead of trapping, because the output of a process that traps is
    /// lost.
    private static func hold(_ isSo: Bool, _ what: String) {
        if !isSo { print("\(broken): \(what)") }
    }

    /// Prints the output of the process and records its failed checks.
    private static func tell(_ result: ExitTest.Result?) {
        let said = (result?.standardOutputContent ?? []) + (result?.standardErrorContent ?? [])
        let text = String(decoding: said, as: UTF8.self)
        print(text)
        #expect(!text.contains(broken), "\(text)")
    }

    private static func load(_ downloads: SharedDownloads<NoAttachment>, _ url: URL) async {
        await withCheckedContinuation { continuation in
            let caller = DownloadCaller { result in
                guard case .success(let body) = result, body.data.count == 50_000 else {
                    preconditionFailure("\(result)")
                }
                continuation.resume()
            }
            downloads.join(URLRequest(url: url), caller: caller).download.start()
        }
    }

    @Test(arguments: [("refused", 100), ("saved", 500)])
    func `a large body does not fill memory`(fate: String, limitInMegabytes: Int) async {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) { [fate, limitInMegabytes] in
            let piece = Data(repeating: 7, count: 1 << 20)
            let megabytes = Self.number("KINGFISHER_MEGABYTES", otherwise: 64)
            let isRefused = fate == "refused"
            let server = try ImageServer()
            let head = ServerReply.head(200, [("Transfer-Encoding", "chunked")])
            let chunk = Data("100000\r\n".utf8) + piece + Data("\r\n".utf8)
            let steps =
                [.send(head)] + Array(repeating: ServerReply.Step.send(chunk), count: megabytes)
                + [.send(Data("0\r\n\r\n".utf8))]
            server.route("/a", ServerReply(steps: steps))
            let limit = isRefused ? megabytes / 2 : limitInMegabytes + megabytes
            var settings = TransferSettings.patient
            settings.maxBodyBytes = limit << 20
            let downloads = SharedDownloads(transport: CurlTransport())
            let before = Holdings.now
            let url = server.url("/a")
            let result = await withCheckedContinuation { continuation in
                let caller = DownloadCaller { continuation.resume(returning: $0) }
                downloads.join(URLRequest(url: url), settings: settings, caller: caller)
                    .download.start()
            }
            let after = Holdings.now
            // The 8 MiB of the body are in memory, and are copied once when the file is written.
            Self.hold(after.peakKilobytes - before.kilobytes < 40 << 10, "\(before) \(after)")
            switch result {
            case .success(let body):
                precondition(!isRefused && body.data.count == megabytes << 20)
                let folder = try TemporaryDirectory()
                try body.data.write(to: folder.file("saved"))
                let saved = try FileManager.default.attributesOfItem(
                    atPath: folder.file("saved").path
                )
                precondition(saved[.size] as? Int == megabytes << 20)
            case .failure(.bodyTooLarge): precondition(isRefused)
            case .failure(let error): preconditionFailure("\(error)")
            }
            print("\(megabytes) MB \(fate): \(before) → \(after)")
        }
        Self.tell(result)
    }
}

/// The resources of a process at one moment.
private struct Holdings: CustomStringConvertible {
    let descriptors: Int
    /// The number of bytes allocated and not freed.
    let live: Int
    let transportThreads: Int
    /// Private memory, without mapped files.
    let kilobytes: Int
    let peakKilobytes: Int

    static var now: Holdings {
        let files = FileManager.default
        func names(_ path: String) -> [String] {
            (try? files.contentsOfDirectory(atPath: path)) ?? []
        }
        let threads = names("/proc/self/task").filter { thread in
            let name = try? String(
                contentsOfFile: "/proc/self/task/\(thread)/comm",
                encoding: .utf8
            )
            return name?.hasPrefix("kingfisher-http") == true
        }
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func kilobytes(_ field: String) -> Int {
            let line = status.split(separator: "\n").first { $0.hasPrefix(field) }
            return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        }
        return Holdings(
            descriptors: names("/proc/self/fd").count,
            live: Allocator.liveBytes,
            transportThreads: threads.count,
            kilobytes: kilobytes("RssAnon:"),
            peakKilobytes: kilobytes("VmHWM:") - kilobytes("RssFile:")
        )
    }

    var description: String {
        "\(descriptors) descriptors, \(transportThreads) threads, \(kilobytes) kB,"
            + " \(live) bytes live"
    }
}

/// Transfers that are cancelled at moments chosen by a seeded generator.
private struct CancelStorm {
    let server: ImageServer

    init() throws {
        server = try ImageServer()
        let bytes = Data(repeating: 3, count: 20_000)
        server.route("/plain", .body(bytes))
        server.route("/redirect", .redirect(to: "/plain"))
        server.route("/endless", .endless(bytes))
        server.route("/silent", .held(ServerGate(), then: .text("never")))
    }

    func run(_ count: Int, seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        do {
            let transport = CurlTransport()
            var settings = TransferSettings.patient
            settings.maxConnectionsPerHost = 16
            for _ in 0..<(count / 100 + 1) {
                let recorders = (0..<100).map { _ in
                    start(transport, settings, &random)
                }
                for recorder in recorders {
                    _ = await recorder.outcome()
                    precondition(recorder.finishCount == 1)
                }
            }
            let census = await transport.census()
            precondition(census.alive == 0 && census.running == 0 && census.queued == 0)
        }
        await server.quiet()
        server.forgetRequests()
        while Holdings.now.transportThreads > 0 { await Task.yield() }
    }

    private func start(
        _ transport: CurlTransport,
        _ settings: TransferSettings,
        _ random: inout SplitMix
    ) -> TransferRecorder {
        let moment = Int.random(in: 0..<4, using: &random)
        let recorder = TransferRecorder(
            redirect: { _, next, reply in reply(next) },
            response: { transfer, _, reply in
                if moment == 2 { transfer.cancel() }
                reply(.allow)
            },
            chunk: { transfer in if moment == 3 { transfer.cancel() } }
        )
        // A transfer that gets no answer is cancelled by the test.
        let paths = ["/plain", "/redirect", "/endless"] + (moment < 2 ? ["/silent"] : [])
        let path = paths.randomElement(using: &random) ?? "/plain"
        let transfer = transport.start(
            URLRequest(url: server.url(path)),
            settings: settings,
            handler: recorder
        )
        if moment == 0 { transfer.cancel() }
        if moment == 1 { Task { transfer.cancel() } }
        return recorder
    }
}
