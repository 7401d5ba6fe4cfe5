import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(Glibc)
import Glibc
#endif

/// Two processes load into one folder from a server that changes, goes back and removes images,
/// until they are killed.
///
/// What each load showed must be what the server answered it: a 304 that confirms another image
/// than the one that is shown would differ. In the environment, `KINGFISHER_KILLS=500` sets how often
/// each is killed, and `KINGFISHER_KILL_MINUTES=30` for how long they are.
@Suite(.timeLimit(.minutes(KillPlan.minutes + 10)))
struct SharedFolderKillTests {
    @Test func `whenever processes of one folder are killed, no image has the record of another`()
        async throws
    {
        let folder = try TemporaryDirectory()
        // Not left to the children, which may be killed before they get there.
        try Data().write(to: folder.file("journal"))
        let server = try RevolvingServer()
        setenv(Loader.folderVariable, folder.url.path, 1)
        setenv(Loader.serverVariable, server.url.absoluteString, 1)
        defer {
            unsetenv(Loader.folderVariable)
            unsetenv(Loader.serverVariable)
        }
        var rounds = 0
        let start = ContinuousClock.now
        while rounds < KillPlan.rounds || ContinuousClock.now - start < KillPlan.duration {
            async let first: Void = Self.runUntilKilled()
            async let second: Void = Self.runUntilKilled()
            _ = await (first, second)
            rounds += 1
        }
        let lines = try String(contentsOf: folder.file("journal"), encoding: .utf8)
            .split(separator: "\n")
        #expect(lines.count > rounds)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            // The last line of a process may be cut off by its death.
            guard words.count == 3, words[2] == "." else { continue }
            #expect(server.answer(to: words[0]) == words[1], "\(line)")
        }
    }

    private static func runUntilKilled() async {
        // Swift 6.2 cannot hand values to the child by capture; the environment is inherited.
        await #expect(processExitsWith: .signal(SIGKILL)) {
            await Loader.work()
        }
    }
}

/// How often the processes are killed.
private enum KillPlan {
    static let rounds = number("KINGFISHER_KILLS") ?? 2
    static let minutes = number("KINGFISHER_KILL_MINUTES") ?? 0
    static let duration = Duration.seconds(60 * minutes)

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }
}

/// Serves a few paths whose versions follow a random walk, and remembers what it answered to whom.
private final class RevolvingServer: Sendable {
    private struct State {
        var random = SplitMix(seed: UInt64(getpid()))
        var versions: [String: Int] = [:]
        var answers: [String: String] = [:]
    }

    private let server: ImageServer
    private let state = Mutex(State())

    init() throws {
        server = try ImageServer()
        let images = (0..<4).map { TestImage.png(width: 10 + $0, height: 4) }
        server.fallback { [weak self] request in
            guard let self, let load = request.value(for: "X-Load") else { return .status(400) }
            return reply(to: request, of: load, images)
        }
    }

    var url: URL { server.url("") }

    /// What a load was answered: a version, or the status of a failure.
    func answer(to load: String) -> String? { state.withLock { $0.answers[load] } }

    private func reply(
        to request: ServerRequest,
        of load: String,
        _ images: [Data]
    ) -> ServerReply {
        if request.path.hasPrefix("/to") {
            let target = "/at" + request.path.dropFirst(3)
            return .status(302, fields: [("Location", target), ("Cache-Control", "no-store")])
        }
        let version = state.withLock { state in
            // Often unchanged, so that there is something to confirm; 4 stands for "removed".
            if Int.random(in: 0..<3, using: &state.random) == 0 {
                state.versions[request.path] = Int.random(in: 0...4, using: &state.random)
            }
            let version = state.versions[request.path] ?? 0
            state.answers[load] = version == 4 ? "404" : "\(version)"
            return version
        }
        let fields = [("Cache-Control", "max-age=0"), ("ETag", "\"\(version)\"")]
        guard version < 4 else { return .status(404, fields: [fields[0]]) }
        if request.value(for: "If-None-Match") == fields[1].1 {
            return .status(304, fields: fields)
        }
        return .body(images[version], type: "image/png", fields: fields)
    }
}

/// A child process: loads at random, and writes down what it was shown.
private enum Loader {
    static let folderVariable = "KINGFISHER_SHARED_FOLDER"
    static let serverVariable = "KINGFISHER_SHARED_SERVER"

    static func work() async {
        let environment = ProcessInfo.processInfo.environment
        guard let path = environment[folderVariable], let text = environment[serverVariable],
            let server = URL(string: text)
        else { return }
        // Not by the process's number, which another gets after some thousand deaths: the names of
        // loads must not come again.
        var random = SplitMix(seed: UInt64.random(in: 0 ... .max))
        let delay = Int.random(in: 50_000..<400_000, using: &random)
        // The point of death is to be anywhere, between two steps of the kernel too.
        Thread.detachNewThread {
            usleep(UInt32(delay))
            kill(getpid(), SIGKILL)
        }
        let folder = URL(fileURLWithPath: path, isDirectory: true)
        let journal = open(path + "/journal", O_WRONLY | O_APPEND)
        let downloader = ImageDownloader(name: "killed")
        // Two caches of the folder in each process, too.
        let caches = (0..<2).compactMap { _ in
            try? ImageCache(name: "shared", cacheDirectoryURL: folder)
        }
        let managers = caches.map { KingfisherManager(downloader: downloader, cache: $0) }
        await withTaskGroup { group in
            for (index, manager) in (managers + managers).enumerated() {
                let seed = random.next() &+ UInt64(index)
                group.addTask {
                    await load(manager, from: server, SplitMix(seed: seed)) { line in
                        _ = line.withCString { write(journal, $0, strlen($0)) }
                    }
                }
            }
        }
    }

    private static func load(
        _ manager: KingfisherManager,
        from server: URL,
        _ random: SplitMix,
        note: (String) -> Void
    ) async {
        var random = random
        var count = 0
        while true {
            count += 1
            let path = ["at", "to"][Int.random(in: 0..<2, using: &random)]
            let number = Int.random(in: 0..<3, using: &random)
            let url = server.appendingPathComponent("\(path)\(number)")
            switch Int.random(in: 0..<8, using: &random) {
            case 0: manager.cache.clearMemoryCache()
            case 1: try? await manager.cache.removeImage(forKey: url.absoluteString)
            // Brings an image from disk into memory without asking about it.
            case 2: _ = try? await manager.retrieveImage(with: url, options: [.onlyFromCache])
            default: break
            }
            let name = "\(getpid())-\(random.next())-\(count)"
            let modifier = AnyModifier { request in
                var request = request
                request.setValue(name, forHTTPHeaderField: "X-Load")
                return request
            }
            do {
                let result = try await manager.retrieveImage(
                    with: url,
                    options: [.httpCaching, .requestModifier(modifier)]
                )
                note("\(name) \(Int(result.image.size.width) - 10) .\n")
            } catch let error as KingfisherError where error.isInvalidResponseStatusCode(404) {
                note("\(name) 404 .\n")
            } catch {
                note("\(name) failed:\(type(of: error)) .\n")
            }
        }
    }
}
