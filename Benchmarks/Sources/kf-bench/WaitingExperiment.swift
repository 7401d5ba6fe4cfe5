import Dispatch
import Foundation
import Kingfisher
import KingfisherTesting
import Synchronization

/// The cost of thousands of loads that wait for one of a host's connections, and the time to cancel
/// them.
enum WaitingExperiment {
    static let experiment = Experiment(
        name: "waiting",
        title: "Loads that wait for a connection: memory of each, and cancelling all of them"
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
        defer {
            end.signal()
            server.stop()
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
            let seconds = cancelled(loads)
            lines += [
                "\(count) loads:",
                "  " + Verdict("kB of each", each, atMost: 16).line,
                "  " + Verdict("seconds to cancel them", seconds, atMost: 0.2).line,
            ]
        }
        return lines
    }

    private final class Loads: Sendable {
        let tasks = Mutex<[DownloadTask]>([])
        let ended = DispatchGroup()
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
