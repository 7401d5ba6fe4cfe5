import TestSupport
import Testing

@testable import Kingfisher

/// A prefetcher with a record of its reports.
final class PrefetchRun: Sendable {
    typealias Lists = (skipped: [Source], failed: [Source], completed: [Source])

    let reports = Locked<[Lists]>([])
    let ends = Locked<[Lists]>([])
    let onMain = Locked<[Bool]>([])
    let ended = Gate()
    /// Opened with the first report.
    let reported = Gate()

    func report(_ skipped: [Source], _ failed: [Source], _ completed: [Source]) {
        onMain.change { $0.append(MainQueue.isCurrent) }
        reports.change { $0.append((skipped, failed, completed)) }
        reported.open()
    }

    func end(_ skipped: [Source], _ failed: [Source], _ completed: [Source]) {
        onMain.change { $0.append(MainQueue.isCurrent) }
        ends.change { $0.append((skipped, failed, completed)) }
        ended.open()
    }

    /// The final lists; requires exactly one completion before the time limit.
    func lists() async throws -> Lists {
        await ended.waitUntilCancelled()
        let ends = ends.value
        try #require(ends.count == 1)
        return ends[0]
    }
}

/// A suite that prefetches from its own server.
protocol PrefetchBench {
    var bench: TestBench { get }
}

extension PrefetchBench {
    func prefetcher(
        _ sources: [Source],
        options: KingfisherOptionsInfo = [],
        width: Int = 5
    ) -> (ImagePrefetcher, PrefetchRun) {
        let run = PrefetchRun()
        let prefetcher = ImagePrefetcher(
            sources: sources,
            options: options,
            manager: bench.manager,
            progress: run.report,
            completion: run.end
        )
        prefetcher.maxConcurrentDownloads = width
        return (prefetcher, run)
    }

    func pictures(_ count: Int) -> [Source] {
        (0..<count).map { .network(bench.serveJPEG("/\($0).jpg")) }
    }
}
