import Foundation

/// One benchmark, run by us and by all peers alternately, round after round.
///
/// Alternating spreads other load of the machine evenly. Each runner is a new process, so that its
/// peak memory is that of this benchmark.
struct Race {
    let benchmark: Benchmark
    /// The samples of each runner; ours comes first.
    private(set) var results: [(name: String, samples: [Sample])] = []

    static func run(
        _ benchmark: Benchmark,
        file: URL,
        runners: [Peer.Command],
        rounds: Int
    ) throws -> Race {
        var race = Race(benchmark: benchmark)
        var peers: [Peer] = []
        defer { for peer in peers { peer.stop() } }
        for command in runners {
            let peer = try Peer(command)
            // The first round of each warms up; only its memory counts, see `peakGrowth`.
            guard let first = try peer.run(benchmark, file: file) else {
                peer.stop()
                continue
            }
            peers.append(peer)
            race.results.append((command.name, [first]))
        }
        for _ in 0..<rounds {
            for (index, peer) in peers.enumerated() {
                guard let sample = try peer.run(benchmark, file: file) else { continue }
                race.results[index].samples.append(sample)
            }
        }
        return race
    }

    // MARK: Figures

    /// The figures of one runner.
    struct Figures {
        let wall: [Double]
        let cpu: [Double]
        let bytes: Int
        /// Of the whole process, including its libraries.
        let peak: Double
        /// The increase over the idle process with the file in memory.
        let peakGrowth: Double

        init(_ samples: [Sample]) {
            wall = samples.dropFirst().map(\.wall).sorted()
            cpu = samples.dropFirst().map(\.cpu).sorted()
            bytes = samples.last?.bytes ?? 0
            peak = Double(samples.last?.peak ?? 0) / 1000
            peakGrowth = peak - Double(samples.first?.peakBefore ?? 0) / 1000
        }
    }

    private func figures(of name: String) -> Figures? {
        results.first { $0.name == name }.map { Figures($0.samples) }
    }

    /// The verdict for each target whose peers took part.
    var verdicts: [Verdict] {
        guard let first = results.first else { return [] }
        let ours = Figures(first.samples)
        return benchmark.targets.compactMap { verdict(on: $0, ours: ours) }
    }

    private func verdict(on target: Target, ours: Figures) -> Verdict? {
        switch target {
        case .timeInSwift(let share, let name):
            guard let theirs = figures(of: name), let own = figures(of: Peer.inSwift) else {
                return nil
            }
            let ratio = (own.cpu.first ?? 0) / (theirs.cpu.first ?? 1)
            return Verdict("CPU time in Swift / \(name)", ratio, atMost: share)
        case .time(let share, let name):
            guard let theirs = figures(of: name) else { return nil }
            // The fastest round: other load on the machine can only slow a round down.
            let isParallel = benchmark.threads > 1
            let ratio =
                isParallel
                ? (ours.wall.first ?? 0) / (theirs.wall.first ?? 1)
                : (ours.cpu.first ?? 0) / (theirs.cpu.first ?? 1)
            let clock = isParallel ? "wall" : "CPU"
            return Verdict("\(clock) time / \(name)", ratio, atMost: share)
        case .size(let share, let name):
            guard let theirs = figures(of: name) else { return nil }
            return Verdict(
                "size / \(name)",
                Double(ours.bytes) / Double(theirs.bytes),
                atMost: share
            )
        case .memory(let share, let name):
            guard let theirs = figures(of: name) else { return nil }
            return Verdict("peak memory / \(name)", ours.peak / theirs.peak, atMost: share)
        case .memoryOfCodecs(let share, let name):
            guard let theirs = figures(of: name), let own = figures(of: Peer.codecs) else {
                return nil
            }
            let label = "peak memory of the codecs alone / \(name)"
            return Verdict(label, own.peak / theirs.peak, atMost: share)
        case .milliseconds(let limit):
            return Verdict("CPU ms", ours.cpu.first ?? 0, atMost: limit)
        case .megabytes(let limit):
            return Verdict("MB above the input", ours.peakGrowth, atMost: limit)
        }
    }

    // MARK: The table

    func lines() -> [String] {
        var lines = ["\(benchmark.name): \(benchmark.title)"]
        lines.append(
            "                   CPU ms    wall ms   wall ms   ours/theirs"
                + "      peak  for this     size\n"
                + "                  fastest    fastest    median   CPU   wall"
                + "        MB        MB       KB"
        )
        let ours = Figures(results.first?.samples ?? [])
        for (name, samples) in results {
            let theirs = Figures(samples)
            let ratios =
                name == results.first?.name
                ? "            "
                : Self.ratio(ours.cpu, theirs.cpu) + " " + Self.ratio(ours.wall, theirs.wall)
            let times: [Double] = [
                theirs.cpu.first ?? 0, theirs.wall.first ?? 0,
                theirs.wall.isEmpty ? 0 : theirs.wall[theirs.wall.count / 2],
            ]
            lines.append(
                "  \(Self.padded(name, 13))"
                    + times.map { String(format: "%10.2f", $0) }.joined()
                    + ratios
                    + String(
                        format: "%11.1f%10.1f%9.1f",
                        theirs.peak,
                        theirs.peakGrowth,
                        Double(theirs.bytes) / 1000
                    )
            )
        }
        return lines + (benchmark.notes + verdicts.map(\.line)).map { "  \($0)" }
    }

    private static func ratio(_ ours: [Double], _ theirs: [Double]) -> String {
        String(format: "%6.2f", (ours.first ?? 0) / (theirs.first ?? 1))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
