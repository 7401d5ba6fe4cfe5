import Dispatch
import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization

/// The cost of thousands of loads that wait for one of a host's connections, the time to cancel them,
/// how long loads from another host take meanwhile, and the memory that stays after very many.
enum WaitingExperiment {
    static let experiment = Experiment(
        name: "waiting",
        title: "Loads that wait for a connection, and memory after two million loads"
    ) { folder in
        try run(in: folder)
    }

    private static func run(in folder: URL) throws -> [String] {
        // Six requests are answered only at the end, and until then occupy all connections of the
        // host.
        let end = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _, _ in
            end.wait()
            end.signal()
            return LoopbackServer.Answer(status: 500)
        }
        let other = try LoopbackServer { _, _ in LoopbackServer.Answer(status: 404) }
        defer {
            end.signal()
            server.stop()
            other.stop()
        }
        let directory = folder.appendingPathComponent("waiting", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var lines: [String] = []
        for count in [5_000, 40_000] {
            let cache = try ImageCache(name: "waiting \(count)", cacheDirectoryURL: directory)
            let downloader = ImageDownloader(name: "waiting")
            downloader.downloadTimeout = 600
            let manager = KingfisherManager(downloader: downloader, cache: cache)
            // Allocations made once per process are not counted: a first batch makes them before
            // the baseline.
            _ = cancelled(start(10, of: server, by: manager))
            let before = ProcessMemory.resident
            let loads = start(count, of: server, by: manager)
            Thread.sleep(forTimeInterval: 1)
            let each = Double(ProcessMemory.resident - before) / Double(count)
            let neighbour = Neighbour(of: other, by: manager)
            let seconds = cancelled(loads)
            let longest = neighbour.longestLoad()
            lines += [
                "\(count) loads:",
                "  " + Verdict("kB of each", each, atMost: 16).line,
                String(format: "  %.3f seconds until all of them have ended", seconds),
                "  " + Verdict("longest load from another host, s", longest, atMost: 0.2).line,
            ]
        }
        return lines + (try growth(in: directory))
    }

    private final class Loads: Sendable {
        let tasks = Mutex<[DownloadTask]>([])
        let ended = DispatchGroup()
    }

    /// Loads from another host, one after the other, until it is asked for the longest one.
    private final class Neighbour: Sendable {
        private let isOver = Atomic(false)
        private let longest = Mutex(0.0)
        private let ended = DispatchSemaphore(value: 0)

        init(of server: LoopbackServer, by manager: KingfisherManager) {
            Thread.detachNewThread { [self] in
                var number = 0
                repeat {
                    number += 1
                    let watch = Stopwatch()
                    load(server.url("/\(number).jpg"), by: manager)
                    longest.withLock { $0 = max($0, watch.wall) }
                } while !isOver.load(ordering: .relaxed)
                ended.signal()
            }
        }

        func longestLoad() -> Double {
            isOver.store(true, ordering: .relaxed)
            ended.wait()
            return longest.withLock { $0 }
        }

        private func load(_ address: String, by manager: KingfisherManager) {
            guard let url = URL(string: address) else { return }
            let done = DispatchSemaphore(value: 0)
            manager.retrieveImage(with: url, options: [.callbackQueue(.untouch)]) { _ in
                done.signal()
            }
            done.wait()
        }
    }

    private static func start(
        _ count: Int,
        of server: LoopbackServer,
        by manager: KingfisherManager
    ) -> Loads {
        let loads = Loads()
        var tasks: [DownloadTask] = []
        tasks.reserveCapacity(count)
        for number in 0..<count {
            guard let url = URL(string: server.url("/\(number).jpg")) else { continue }
            loads.ended.enter()
            let task = manager.retrieveImage(
                with: url,
                options: [.callbackQueue(.untouch), .cacheMemoryOnly]
            ) { _ in loads.ended.leave() }
            if let task { tasks.append(task) }
        }
        loads.tasks.withLock { [tasks] in $0 = tasks }
        return loads
    }

    /// Cancels all loads and returns the seconds until every one has ended.
    private static func cancelled(_ loads: Loads) -> Double {
        let watch = Stopwatch()
        for task in loads.tasks.withLock({ $0 }) { task.cancel() }
        loads.ended.wait()
        return watch.wall
    }
}
