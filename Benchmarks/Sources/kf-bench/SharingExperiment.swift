import Foundation
import Kingfisher
import KingfisherTesting

/// Ten sizes of one image requested at the same moment, with and without sharing.
enum SharingExperiment {
    static let experiment = Experiment(
        name: "sharing",
        title: "ten sizes of a 12 MP JPEG at once: one download and decode, or ten"
    ) { folder in
        let file = folder.appendingPathComponent("12mp-dense.jpg")
        return try run(try Data(contentsOf: file), in: folder)
    }

    private static let sides = (1...10).map { $0 * 100 }
    private static let rounds = 7
    /// Not a tenth: each of ten decodes produces just its size, while the shared image has twice
    /// the largest size, so that the results are equally sharp.
    private static let limit = 0.6

    /// The minimum of several rounds.
    private struct Cost {
        var cpu = Double.infinity
        var wall = Double.infinity

        mutating func note(_ other: Cost) {
            cpu = min(cpu, other.cpu)
            wall = min(wall, other.wall)
        }

        var milliseconds: String {
            String(format: "CPU %6.1f ms, wall %6.1f ms", cpu * 1_000, wall * 1_000)
        }

        func line(_ name: String) -> String {
            name.padding(toLength: 22, withPad: " ", startingAt: 0) + " " + milliseconds
        }
    }

    private static func run(_ photo: Data, in folder: URL) throws -> [String] {
        let server = try LoopbackServer { _, _ in LoopbackServer.Answer(body: photo) }
        defer { server.stop() }
        guard let url = URL(string: server.url("/photo.jpg")) else {
            throw BenchmarkError("the server has no address")
        }
        var (shared, apart, inTurn) = (Cost(), Cost(), Cost())
        for _ in 0..<rounds {
            let one = try managers(1, in: folder)
            shared.note(try measure { try await load(url, sides, by: one) })
            let ten = try managers(10, in: folder)
            apart.note(try measure { try await load(url, sides, by: ten) })
            let others = try managers(10, in: folder)
            inTurn.note(
                try measure {
                    for (side, manager) in zip(sides, others) {
                        try await load(url, side, by: manager)
                    }
                }
            )
        }
        let growth = try growth(url, in: folder)
        let (first, last) = (growth[0].cost.wall, growth[growth.count - 1].cost.wall)
        return growth.map {
            String(format: "%2d sizes               ", $0.count) + $0.cost.milliseconds
        } + [
            shared.line("at once, shared"), apart.line("at once, ten managers"),
            inTurn.line("one after the other"),
            Verdict("CPU time / ten managers", shared.cpu / apart.cpu, atMost: limit).line,
            Verdict("wall time / ten managers", shared.wall / apart.wall, atMost: limit).line,
            Verdict("CPU time / one after the other", shared.cpu / inTurn.cpu, atMost: limit).line,
            Verdict("wall time / one after the other", shared.wall / inTurn.wall, atMost: limit)
                .line,
            Verdict("wall time of ten sizes / the largest alone", last / first, atMost: 1.6).line,
        ]
    }

    /// The cost of more and more sizes at once, from the largest alone to all.
    private static func growth(_ url: URL, in folder: URL) throws -> [(count: Int, cost: Cost)] {
        try [1, 2, 4, 6, 8, 10].map { count in
            var cost = Cost()
            for _ in 0..<rounds {
                let one = try managers(1, in: folder)
                let chosen = Array(sides.suffix(count))
                cost.note(try measure { try await load(url, chosen, by: one) })
            }
            return (count, cost)
        }
    }

    /// Managers that share nothing, with empty memory and no disk.
    private static func managers(_ count: Int, in folder: URL) throws -> [KingfisherManager] {
        try (0..<count).map { number in
            KingfisherManager(
                downloader: ImageDownloader(name: "sharing-\(number)"),
                cache: try ImageCache(name: "sharing-\(number)", cacheDirectoryURL: folder)
            )
        }
    }

    /// Loads every size concurrently, each with the next manager.
    private static func load(
        _ url: URL,
        _ sides: [Int],
        by managers: [KingfisherManager]
    ) async throws {
        try await withThrowingTaskGroup { group in
            for (index, side) in sides.enumerated() {
                let manager = managers[index % managers.count]
                group.addTask { try await load(url, side, by: manager) }
            }
            try await group.waitForAll()
        }
    }

    private static func load(_ url: URL, _ side: Int, by manager: KingfisherManager) async throws {
        let processor = DownsamplingImageProcessor(size: CGSize(width: side, height: side))
        let result = try await manager.retrieveImage(
            with: url,
            options: [.processor(processor), .cacheMemoryOnly, .callbackQueue(.untouch)]
        )
        guard Int(result.image.size.width) == side else {
            throw BenchmarkError("an image has the wrong size")
        }
    }

    private static func measure(_ body: @escaping @Sendable () async throws -> Void) throws -> Cost
    {
        let watch = Stopwatch()
        try Blocking.run(body)
        return Cost(cpu: watch.cpu, wall: watch.wall)
    }
}
